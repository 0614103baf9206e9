"""Makes small traces: event dicts in the shape Kineto writes, files, loaded traces.

    from builders import annotation, cpu_op, kernel, launch, write_trace
    path = write_trace(tmp_path, [cpu_op("aten::mm", 0, 50), *launched(1, 10, 30, 5)])

All times are microseconds, as in the files. Each maker takes `**more` top-level fields
(`pid=`, `tid=`, `cat=`) and `args=` to add to the args it makes.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

CORPUS = Path(__file__).parents[2] / "shared" / "corpus"
"""Where real traces with independent truth may lie, beside the project."""

SAMPLES = Path(__file__).parents[1] / "sample_traces"
"""The real traces of the project itself."""


def where_real(samples: Iterable[str], corpus: Iterable[str] = ()) -> list[Path]:
    """Files of real traces by name without `.json.gz`: the samples, and those of the corpus
    where it lies beside the project.
    """
    beside = [CORPUS / f"{name}.json.gz" for name in corpus] if CORPUS.is_dir() else []
    return [*(SAMPLES / f"{name}.json.gz" for name in samples), *beside]


def name_of(path: Path) -> str:
    """The name of a real trace for the id of a test, such as `h200/blog_naive`."""
    folder = CORPUS if path.is_relative_to(CORPUS) else SAMPLES
    return path.relative_to(folder).as_posix().removesuffix(".json.gz")


Event = dict[str, Any]

PID = 100
TID = 100
DEVICE = 0
STREAM = 7


def complete(cat: str, name: str, ts: float, dur: float, **more: Any) -> Event:
    """A complete event (`ph` X) on the thread PID, TID."""
    event = {"ph": "X", "cat": cat, "name": name, "pid": PID, "tid": TID, "ts": ts, "dur": dur}
    args = more.pop("args", {})
    return {**event, "args": args, **more}


def cpu_op(name: str, ts: float, dur: float, **more: Any) -> Event:
    """A CPU op; give `args={"Input Dims": [[2, 3]], ...}` for inputs."""
    return complete("cpu_op", name, ts, dur, **more)


def annotation(name: str, ts: float, dur: float, **more: Any) -> Event:
    """A user annotation, such as `ProfilerStep#1`."""
    return complete("user_annotation", name, ts, dur, **more)


def python_function(name: str, ts: float, dur: float, **more: Any) -> Event:
    return complete("python_function", name, ts, dur, **more)


def runtime(name: str, ts: float, dur: float, correlation: int = 0, **more: Any) -> Event:
    """A runtime call, such as `cudaDeviceSynchronize`."""
    args = {"correlation": correlation, **more.pop("args", {})}
    return complete("cuda_runtime", name, ts, dur, args=args, **more)


def launch(correlation: int, ts: float, dur: float = 5, **more: Any) -> Event:
    """A `cudaLaunchKernel` call."""
    return runtime("cudaLaunchKernel", ts, dur, correlation, **more)


def driver_launch(correlation: int, ts: float, dur: float = 5, **more: Any) -> Event:
    """A `cuLaunchKernel` call."""
    args = {"correlation": correlation, **more.pop("args", {})}
    return complete("cuda_driver", "cuLaunchKernel", ts, dur, args=args, **more)


def _gpu(cat: str, name: str, ts: float, dur: float, correlation: int, more: Event) -> Event:
    device, stream = more.pop("device", DEVICE), more.pop("stream", STREAM)
    args = {"device": device, "stream": stream, "correlation": correlation}
    more = {"pid": device, "tid": stream, **more, "args": {**args, **more.get("args", {})}}
    return complete(cat, name, ts, dur, **more)


def kernel(name: str, ts: float, dur: float, correlation: int = 0, **more: Any) -> Event:
    """A kernel; `device=` and `stream=` place it, `args={"grid": [1, 1, 1]}` adds."""
    return _gpu("kernel", name, ts, dur, correlation, more)


def memcpy(name: str, ts: float, dur: float, correlation: int = 0, **more: Any) -> Event:
    """A copy, such as `Memcpy HtoD (Pageable -> Device)`; `args={"bytes": 4}` adds."""
    return _gpu("gpu_memcpy", name, ts, dur, correlation, more)


def memset(ts: float, dur: float, correlation: int = 0, **more: Any) -> Event:
    return _gpu("gpu_memset", "Memset (Device)", ts, dur, correlation, more)


def launched(
    correlation: int, launch_ts: float, ts: float, dur: float, name: str = "k", **more: Any
) -> list[Event]:
    """A launch and its kernel; `**more` goes to the kernel."""
    return [launch(correlation, launch_ts), kernel(name, ts, dur, correlation, **more)]


def gpu_annotation(name: str, ts: float, dur: float, **more: Any) -> Event:
    """A user annotation as shown on a stream."""
    more = {"pid": DEVICE, "tid": STREAM, **more}
    return complete("gpu_user_annotation", name, ts, dur, **more)


def instant(name: str, ts: float, **more: Any) -> Event:
    return {"ph": "i", "name": name, "pid": PID, "tid": TID, "ts": ts, "s": "t", **more}


def memory(ts: float, change: int, allocated: int, reserved: int, **more: Any) -> Event:
    """A `[memory]` event of the allocator, on device 0."""
    args = {
        "Bytes": change,
        "Total Allocated": allocated,
        "Total Reserved": reserved,
        "Device Id": 0,
        "Device Type": 1,
    }
    return instant("[memory]", ts, cat="cpu_instant_event", args=args, **more)


def thread_name(name: str, pid: Any = PID, tid: Any = TID) -> Event:
    return {"ph": "M", "name": "thread_name", "pid": pid, "tid": tid, "args": {"name": name}}


def trace_text(events: Sequence[Any], **top_level: Any) -> str:
    """The JSON of a trace; `**top_level` are fields beside `traceEvents`."""
    body = ",\n  ".join(json.dumps(event) for event in events)
    fields = "".join(f",\n{json.dumps(key)}: {json.dumps(v)}" for key, v in top_level.items())
    return f'{{"schemaVersion": 1, "traceEvents": [\n  {body}\n]{fields}}}\n'


def write_text(folder: Path, text: str | bytes, name: str = "trace.json") -> Path:
    """Writes a file as it is, or packed if `name` ends in `.gz`."""
    data = text.encode() if isinstance(text, str) else text
    path = folder / name
    path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    return path


def write_trace(
    folder: Path, events: Sequence[Mapping[str, Any]], name: str = "trace.json", **top_level: Any
) -> Path:
    """Writes a trace file of these events into `folder`."""
    return write_text(folder, trace_text(events, **top_level), name)
