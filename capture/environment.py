"""The machine a trace was made on: device, driver, versions."""

from __future__ import annotations

import importlib.metadata
import platform
import re
import subprocess
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import torch

from capture.errors import CaptureError

_MODEL_NUMBER = re.compile(r"\b(?:RTX\s?(?:A)?\d{4}|GTX\s?\d{4}|[A-Z]{1,3}\d{1,4}[A-Z]{0,2})\b")


@dataclass(frozen=True, slots=True)
class Environment:
    """Facts of the device and the software; memory in bytes; None where there is no such thing."""

    device: str
    device_name: str
    sm_count: int | None
    compute_capability: str | None
    memory_bytes: int | None
    driver: str | None
    torch: str
    cuda: str | None
    hip: str | None
    cudnn: int | None
    triton: str | None
    python: str
    platform: str

    @property
    def slug(self) -> str:
        """The device in a file name, e.g. `a100`, `h200`, `rtx4090`, `cpu`."""
        return "cpu" if self.device == "cpu" else device_slug(self.device_name)

    def facts(self) -> dict[str, Any]:
        """The environment as JSON facts."""
        return asdict(self)


def device_slug(name: str) -> str:
    """The shortest usual name of a device: its model number, else its words joined by dashes."""
    found = _MODEL_NUMBER.search(name)
    words = found.group(0).replace(" ", "") if found else name
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-") or "gpu"


def resolve_device(name: str) -> torch.device:
    """The torch device that `--device` names.

    Raises CaptureError where there is no such device on this machine.
    """
    if name == "cpu":
        return torch.device("cpu")
    if not torch.cuda.is_available():
        build = torch.version.cuda or torch.version.hip
        why = "torch sees no CUDA device" if build else "this torch is a CPU-only build"
        raise CaptureError(f"--device {name}: {why} on this machine; pass --device cpu to go on")
    try:
        device = torch.device(name)
    except RuntimeError:
        raise CaptureError(f"--device {name}: not a device; pass cuda, cuda:N or cpu") from None
    if device.type != "cuda":
        raise CaptureError(f"--device {name}: not supported; pass cuda, cuda:N or cpu")
    index = device.index if device.index is not None else torch.cuda.current_device()
    if index >= torch.cuda.device_count():
        raise CaptureError(
            f"--device {name}: this machine has {torch.cuda.device_count()} CUDA device(s)"
        )
    torch.cuda.set_device(index)
    return torch.device("cuda", index)


def default_device() -> str:
    """`cuda` where torch sees a GPU, else `cpu`."""
    return "cuda" if torch.cuda.is_available() else "cpu"


def describe(device: torch.device) -> Environment:
    """Read the environment of `device`."""
    on_gpu = device.type == "cuda"
    properties = torch.cuda.get_device_properties(device) if on_gpu else None
    return Environment(
        device=str(device),
        device_name=properties.name if properties else _cpu_name(),
        sm_count=properties.multi_processor_count if properties else None,
        compute_capability=f"{properties.major}.{properties.minor}" if properties else None,
        memory_bytes=properties.total_memory if properties else None,
        driver=_driver_version() if on_gpu else None,
        torch=torch.__version__,
        cuda=torch.version.cuda,
        hip=torch.version.hip,
        cudnn=torch.backends.cudnn.version() if on_gpu else None,
        triton=_version("triton"),
        python=platform.python_version(),
        platform=platform.platform(),
    )


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _cpu_name() -> str:
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace").split("\n"):
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine() or "CPU"


def _driver_version() -> str | None:
    """The GPU driver's version, from nvidia-smi, else from the kernel module."""
    query = ["nvidia-smi", "--query-gpu=driver_version", "--format=csv,noheader"]
    try:
        answer = subprocess.run(query, capture_output=True, text=True, timeout=20, check=True)
        if version := answer.stdout.partition("\n")[0].strip():
            return version
    except (OSError, subprocess.SubprocessError):
        pass
    try:
        text = Path("/proc/driver/nvidia/version").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return None
    found = re.search(r"\b\d{3}\.\d+(?:\.\d+)?\b", text)
    return found.group(0) if found else None
