"""Runs workloads one after the other: check, time, profile, write; and keeps the manifest."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import torch

from capture import interrupts
from capture.catalogue import ATTENTION_NAMES, BY_NAME, MODEL_NAMES, Kind
from capture.check import Accuracy
from capture.environment import Environment
from capture.errors import CaptureError, Refusal
from capture.profiling import StepProfiler
from capture.progress import Progress
from capture.shapes import AttentionShape, Method, ModelShape
from capture.timing import Ceilings, Timing, time_call
from capture.traces import prepare_directory, write_json
from capture.variants import one_line
from capture.workload import Workload, attention_workload


@dataclass(frozen=True, slots=True)
class Job:
    """One trace to make: a name for the progress line and how to build the workload."""

    name: str
    title: str
    build: Callable[[torch.device, Method], Workload]


@dataclass(frozen=True, slots=True)
class Setting:
    """What all jobs of one command share."""

    device: torch.device
    environment: Environment
    method: Method
    out: Path
    command: str
    ceilings: Ceilings | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of one job: `written`, `refused` (with a reason) or `failed` (with an error)."""

    name: str
    title: str
    status: str
    file: str | None = None
    reason: str | None = None
    accuracy: Accuracy | None = None
    unprofiled: Timing | None = None

    def line(self) -> str:
        """The outcome in one line."""
        if self.status != "written":
            return f"{self.name}: {self.status}: {self.reason}"
        parts = [f"{self.file}"]
        if self.unprofiled is not None:
            if self.unprofiled.gpu_ns is not None:
                parts.append(f"{self.unprofiled.gpu_ns / 1e3:,.1f} us on the GPU")
            parts.append(f"{self.unprofiled.host_ns / 1e3:,.1f} us on the host")
        if self.accuracy is not None:
            parts.append(f"error {self.accuracy.output_error:.1e}")
        return ", ".join(parts)


def attention_job(name: str, shape: AttentionShape, *, backward: bool) -> Job:
    """A job for one attention variant."""
    return Job(
        name,
        f"{name} {shape.label}{' backward' if backward else ''}",
        lambda device, method: attention_workload(
            name, shape, device, backward=backward, seed=method.seed
        ),
    )


def model_job(name: str, shape: ModelShape) -> Job:
    """A job for one model workload."""

    def build(device: torch.device, method: Method) -> Workload:
        from capture.models import model_workload

        return model_workload(name, shape, device, method)

    return Job(name, f"{name} {shape.label}", build)


def gaps_job() -> Job:
    """The job that plants idle."""

    def build(device: torch.device, method: Method) -> Workload:
        from capture.gaps import gaps_workload

        return gaps_workload(device, method)

    return Job("gaps", "gaps", build)


def job_for(name: str, shape: AttentionShape, model: ModelShape, *, backward: bool) -> Job:
    """The job of a catalogue name."""
    kind = BY_NAME[name].kind
    if kind is Kind.ATTENTION:
        return attention_job(name, shape, backward=backward)
    return model_job(name, model) if kind is Kind.MODEL else gaps_job()


def suite_jobs(name: str, shape: AttentionShape, model: ModelShape, *, backward: bool) -> list[Job]:
    """The jobs of a suite.

    `attention` adds two shapes to the given one: a long sequence with grouped key heads, and one
    query against a long cache.
    """
    if name == "attention":
        grouped = max(1, shape.heads // 4)
        long = replace(
            shape,
            batch=max(1, shape.batch // 4),
            kv_heads=grouped if shape.heads % grouped == 0 else shape.heads,
            q_len=shape.q_len * 2,
            kv_len=shape.kv_len * 2,
        )
        decode = replace(shape, q_len=1, kv_len=shape.kv_len * 4)
        return [
            attention_job(variant, one, backward=backward)
            for one in (shape, long, decode)
            for variant in ATTENTION_NAMES
        ]
    if name == "model":
        return [model_job(variant, model) for variant in MODEL_NAMES]
    return [gaps_job()]


def run_job(job: Job, setting: Setting) -> Outcome:
    """Check, time, profile and write one job. Refusals and failures of the job are outcomes.

    Raises CaptureError where nothing else could work either: the disk, or the device.
    """
    try:
        workload = job.build(setting.device, setting.method)
        accuracy = workload.check()
        interrupts.check()
        if accuracy is not None:
            accuracy.require(job.name)
        with workload.scope():
            timing = _time(workload, setting.device)
            profiler = _profile(workload, setting, accuracy, timing)
    except Refusal as refusal:
        return Outcome(job.name, job.title, "refused", reason=str(refusal))
    except torch.OutOfMemoryError as error:
        return Outcome(
            job.name,
            job.title,
            "failed",
            reason=f"out of GPU memory at {job.title}; lower --batch, --seq or --layers"
            f" ({one_line(error).partition(' GPU ')[0]})",
        )
    except CaptureError as error:
        return Outcome(job.name, job.title, "failed", reason=str(error))
    target = setting.out / f"{workload.stem}_{setting.environment.slug}.json.gz"
    profiler.write(target)
    return Outcome(
        job.name, job.title, "written", target.name, accuracy=accuracy, unprofiled=timing
    )


def _time(workload: Workload, device: torch.device) -> Timing | None:
    if workload.timed is None:
        return None
    return time_call(workload.timed, device, repeats=50 if device.type == "cuda" else 5)


def _profile(
    workload: Workload, setting: Setting, accuracy: Accuracy | None, timing: Timing | None
) -> StepProfiler:
    facts = {
        "schema": 1,
        "workload": workload.name,
        "labels": list(workload.labels),
        **workload.facts,
        "notes": list(workload.notes),
        "command": setting.command,
        "environment": setting.environment.facts(),
        "accuracy": accuracy.facts() if accuracy else None,
        "unprofiled": timing.facts() if timing else None,
        "ceilings": setting.ceilings.facts() if setting.ceilings else None,
    }
    method = setting.method
    with StepProfiler(method, setting.device, facts, sync_events=workload.sync_events) as profiler:
        for index in range(method.total):
            workload.step(index)
            profiler.step()
    return profiler


def run_jobs(jobs: Sequence[Job], setting: Setting, manifest: str) -> list[Outcome]:
    """Run `jobs` with progress, and keep `<manifest>_<device>.json` true after each of them."""
    prepare_directory(setting.out)
    outcomes: list[Outcome] = []
    target = setting.out / f"{manifest}_{setting.environment.slug}.json"
    with Progress(len(jobs)) as progress:
        for job in jobs:
            progress.start(job.title)
            begin = time.monotonic()
            outcome = run_job(job, setting)
            interrupts.check()
            outcomes.append(outcome)
            write_json(target, _manifest(setting, outcomes, len(jobs)))
            progress.finish(f"{outcome.line()} ({time.monotonic() - begin:.0f} s)")
            _clear(setting.device)
            interrupts.check()
    return outcomes


def _manifest(setting: Setting, outcomes: Sequence[Outcome], total: int) -> dict[str, Any]:
    return {
        "schema": 1,
        "command": setting.command,
        "environment": setting.environment.facts(),
        "method": setting.method.facts(),
        "ceilings": setting.ceilings.facts() if setting.ceilings else None,
        "jobs": total,
        "outcomes": [asdict(outcome) for outcome in outcomes],
    }


def _clear(device: torch.device) -> None:
    """Let go of one job's memory and compiled code before the next."""
    torch.compiler.reset()
    gc.collect()
    if device.type == "cuda":
        torch.cuda.empty_cache()
