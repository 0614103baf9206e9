"""`record`: the capture's profile, flags and metadata round the steps of your own script."""

from __future__ import annotations

import functools
import re
import shlex
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, TypeVar

import torch
from torch.profiler import record_function

from capture.environment import describe
from capture.errors import CaptureError
from capture.profiling import StepProfiler
from capture.shapes import Method
from capture.traces import metadata_json, prepare_directory

T = TypeVar("T")


class Recorder:
    """What `record` returns: iterate over `steps()`, or decorate the step itself."""

    def __init__(
        self,
        name: str,
        out: Path,
        method: Method,
        device: torch.device,
        metadata: Mapping[str, Any],
        sync_events: bool,
    ) -> None:
        try:
            metadata_json(metadata)
        except (TypeError, ValueError) as error:
            raise CaptureError(f"record({name!r}): metadata takes JSON values: {error}") from None
        environment = describe(device)
        self._name = name
        self._method = method
        stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name)
        self.path = out / f"{stem}_{environment.slug}.json.gz"
        self.written = False
        self._started = False
        self._over = False
        self._profiler = StepProfiler(
            method,
            device,
            {
                "schema": 1,
                "workload": name,
                "labels": [name],
                "user": dict(metadata),
                "command": shlex.join(sys.argv),
                "environment": environment.facts(),
            },
            sync_events=sync_events,
        )

    def __enter__(self) -> Recorder:
        prepare_directory(self.path.parent)
        self._started = True
        self._profiler.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over = True
        self._profiler.__exit__(kind, error, trace)
        if error is not None:
            return
        if not self._profiler.finished:
            raise CaptureError(
                f"record({self._name!r}) saw {self._profiler.steps} of {self._method.total} steps"
                " (wait, warm-up and recorded); loop longer or ask for fewer"
            )
        self._profiler.write(self.path)
        self.written = True

    def steps(self, items: Iterable[T] | None = None) -> Iterator[T | int]:
        """Yield each item, or a count, as one labelled step, until the schedule is used up."""
        source: Iterator[Any] = iter(range(self._method.total) if items is None else items)
        while not self._profiler.finished:
            try:
                item = next(source)
            except StopIteration:
                return
            with record_function(self._name):
                yield item
            self._profiler.step()

    def __call__(self, function: Callable[..., T]) -> Callable[..., T]:
        """Decorate a step: its first calls are recorded, then the trace is written, once.

        A call that raises ends the recording without a trace; later calls run plain.
        """

        @functools.wraps(function)
        def stepped(*args: Any, **kwargs: Any) -> T:
            if self._over:
                return function(*args, **kwargs)
            if not self._started:
                self.__enter__()
            try:
                with record_function(self._name):
                    result = function(*args, **kwargs)
                self._profiler.step()
            except BaseException:
                self.__exit__(*sys.exc_info())
                raise
            if self._profiler.finished:
                self.__exit__(None, None, None)
            return result

        return stepped


def record(
    name: str,
    *,
    out: str | Path = "traces",
    steps: int = 3,
    warmup: int = 3,
    wait: int = 1,
    stacks: bool = False,
    sync_events: bool = False,
    metadata: Mapping[str, Any] | None = None,
    device: str | torch.device | None = None,
) -> Recorder:
    """Profile your own steps with the capture's flags into `<out>/<name>_<device>.json.gz`.

    As a context manager, loop over `recorder.steps()` or `recorder.steps(loader)`; as a
    decorator, call the step as before. Each step is labelled `name`. `wait` steps pass, `warmup`
    steps warm up, `steps` steps are recorded. `metadata` goes into the trace as it is (JSON
    values). Raises CaptureError where the metadata is no JSON, the loop ends too soon or the trace
    cannot be written.
    """
    chosen = "cuda" if torch.cuda.is_available() else "cpu"
    return Recorder(
        name,
        Path(out),
        Method(wait=wait, warmup=warmup, active=steps, stacks=stacks),
        torch.device(device if device is not None else chosen),
        metadata or {},
        sync_events,
    )
