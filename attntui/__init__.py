"""attntui: a terminal explorer for PyTorch profiler traces.

For scripts and notebooks there is `load`:

    import attntui

    a = attntui.load("trace.json.gz")
    a.whole.busy_ns, a.whole.idle_ns  # of all devices, in ns
    a.whole.findings  # what costs time, the gravest first
    a.attention  # the attention calls, forward and backward

Importing the package imports none of what it needs to read a trace; the first `load` does.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING

from attntui.errors import InputError

if TYPE_CHECKING:
    from attntui.analysis.analysed import AnalysedTrace

__all__ = ["InputError", "__version__", "load"]

__version__ = "0.1.0"


def load(
    path: str | os.PathLike[str],
    peak_bandwidth: float | None = None,
    peak_flops: float | None = None,
) -> AnalysedTrace:
    """Reads a trace (JSON, plain, gzip or zstd; `-` is standard input), ready to be asked.

    The file is read at once; each fact is found when it is first asked for, and kept.
    `peak_bandwidth` in bytes/s and `peak_flops` in FLOP/s (bf16 and fp16 on tensor cores)
    win over the roofs of the device table. What was odd in the file is in `trace.notices`.

        a = attntui.load("trace.json.gz")
        print(a.whole.busy_ns, a.whole.idle_ns)
        for finding in a.whole.findings:
            print(finding.severity.word, finding.id, finding.cost_ns)
        print([(call.backend, call.gpu_ns) for call in a.attention])

    Names in a trace may hold control characters: `a.labels` has them safe to print.

    Raises:
        InputError: the file cannot be read, or holds no trace.
        ValueError: a peak is no number above zero.
    """
    for option, rate in (("peak_bandwidth", peak_bandwidth), ("peak_flops", peak_flops)):
        if rate is not None and not (math.isfinite(rate) and rate > 0):
            raise ValueError(f"{option} is not a number above zero: {rate!r}")
    from attntui.analysis.analysed import AnalysedTrace
    from attntui.trace.loading import load as load_trace

    return AnalysedTrace(load_trace(path), peak_bandwidth, peak_flops)
