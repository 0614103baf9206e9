"""One way to run torch.profiler, for workloads and for the user's own steps alike."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from types import TracebackType
from typing import Any

import torch
from torch.profiler import ProfilerActivity, profile, schedule

from capture.shapes import Method
from capture.traces import METADATA_KEY, metadata_json, write_trace


def flags(stacks: bool) -> dict[str, bool]:
    """The profiler's options: everything an attention question needs, stacks when asked for."""
    return {
        "record_shapes": True,
        "profile_memory": True,
        "with_flops": True,
        "with_stack": stacks,
    }


def _sync_event_config() -> Any:
    """The option that records CUDA synchronisation, None where this torch has none."""
    try:
        from torch.profiler import _ExperimentalConfig

        return _ExperimentalConfig(enable_cuda_sync_events=True)
    except (ImportError, TypeError):
        return None


class StepProfiler:
    """A scheduled profile: call `step()` after each of `method.total` steps, then `write()`.

    On a GPU the device is drained before recording starts and before it ends, so that no kernel
    of a warm-up step leaks in and none of the last step is lost; that last drain is seen in the
    trace as a cudaDeviceSynchronize.
    """

    def __init__(
        self,
        method: Method,
        device: torch.device,
        facts: Mapping[str, Any],
        *,
        sync_events: bool = False,
    ) -> None:
        self._method = method
        self._device = device
        config = _sync_event_config() if sync_events and device.type == "cuda" else None
        self._metadata = {
            **facts,
            "method": method.facts(),
            "profiler": {**flags(method.stacks), "cuda_sync_events": config is not None},
        }
        activities = [ProfilerActivity.CPU]
        if device.type == "cuda":
            activities.append(ProfilerActivity.CUDA)
        self._profile = profile(
            activities=activities,
            schedule=schedule(
                wait=method.wait, warmup=method.warmup, active=method.active, repeat=1
            ),
            experimental_config=config,
            **flags(method.stacks),
        )
        self.steps = 0

    @property
    def finished(self) -> bool:
        """Whether every step of the schedule has run."""
        return self.steps >= self._method.total

    def __enter__(self) -> StepProfiler:
        self._profile.start()
        return self

    def step(self) -> None:
        """End one step of the schedule."""
        self.steps += 1
        if self.steps == self._method.wait + 1:
            # In a warm-up step the tracer is already there, and nothing of this is recorded.
            self._profile.add_metadata_json(METADATA_KEY, metadata_json(self._metadata))
        edges = (self._method.wait + self._method.warmup, self._method.total)
        if self._device.type == "cuda" and self.steps in edges:
            torch.cuda.synchronize(self._device)
        with warnings.catch_warnings():
            # There is one cycle, so nothing is lost when torch says it clears the last one.
            warnings.filterwarnings("ignore", message=".*clears events at the end of each cycle")
            self._profile.step()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._profile.stop()

    def write(self, target: Path) -> None:
        """Write the trace, gzip, in one piece. Raises CaptureError where it cannot be written."""
        write_trace(target, self._profile.export_chrome_trace)
