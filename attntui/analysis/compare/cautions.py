"""What keeps two traces from being compared like with like: named, never hidden."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.analysed import AnalysedTrace
from attntui.analysis.compare.rows import Row
from attntui.analysis.compare.side import Side
from attntui.analysis.groups import sums
from attntui.analysis.kernel_names import decode

# The keys of versions: in the file's own fields, by Kineto or by the user, and in what the
# capture tells of its environment. Of each group the first that a file has counts.
_VERSIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("torch version", ("torch_version", "pytorch_version", "torch")),
    ("CUDA runtime", ("cuda_runtime_version",)),
    ("CUDA driver", ("cuda_driver_version",)),
    ("HIP runtime", ("hip_runtime_version",)),
    ("HIP driver", ("hip_driver_version",)),
    ("cuDNN version", ("cudnn",)),
    ("Triton version", ("triton",)),
)


@dataclass(frozen=True, slots=True)
class Caution:
    """A circumstance in which the two sides differ. The texts may hold text of the traces."""

    what: str
    a: str
    b: str

    @property
    def text(self) -> str:
        return f"{self.what}: {self.a} against {self.b}"


def find_cautions(a: Side, b: Side, rows: Sequence[Row]) -> tuple[Caution, ...]:
    """Different devices, versions, data types and shapes; what a side does not tell differs
    from nothing.
    """
    found = [_different("device", _devices(a), _devices(b))]
    for what, keys in _VERSIONS:
        found.append(_different(what, _version(a.analysed, keys), _version(b.analysed, keys)))
    found.append(_different("data type", _dtypes(a), _dtypes(b)))
    sizes = _sizes(a), _sizes(b)
    found.append(_different("attention shapes", *sizes))
    found.append(_different("causal", _causal(a), _causal(b)))
    if None in sizes:
        found.append(_op_shapes(rows))
    return tuple(caution for caution in found if caution is not None)


def _different(what: str, a: str | None, b: str | None) -> Caution | None:
    return Caution(what, a, b) if a is not None and b is not None and a != b else None


def _devices(side: Side) -> str | None:
    """The names of the devices that ran the unit, or of the first in the file."""
    used = np.unique(side.slice.trace.device[side.rows]).tolist()
    return ", ".join(sorted(set(side.analysed.labels.names_of_devices(used)))) or None


def _version(analysed: AnalysedTrace, keys: tuple[str, ...]) -> str | None:
    raw = analysed.trace.metadata.raw
    capture = raw.get("attntui")
    environment = capture.get("environment") if isinstance(capture, Mapping) else None
    for fields in (raw, environment):
        if isinstance(fields, Mapping):
            told = [fields[key] for key in keys if isinstance(fields.get(key), str | int)]
            if told:
                return str(told[0])
    return None


def _dtypes(side: Side) -> str | None:
    """The data types of the attention calls, else that of the kernels with the most time."""
    told = {p.call.dtype for p in side.pieces if p.call is not None and p.call.dtype}
    if told:
        return ", ".join(sorted(told))
    trace = side.analysed.trace
    by_type: dict[str, int] = {}
    names, which = np.unique(trace.name[side.rows], return_inverse=True)
    time = sums(which, trace.dur[side.rows], len(names))
    for name, ns in zip(names.tolist(), time.tolist(), strict=True):
        types = decode(trace.names[name]).dtypes
        if types:
            by_type[types[0]] = by_type.get(types[0], 0) + ns
    return max(sorted(by_type), key=by_type.__getitem__, default=None)


def _sizes(side: Side) -> str | None:
    """The distinct sizes of the attention calls, as text."""
    sizes = set()
    for piece in side.pieces:
        call = piece.call
        if call is not None and None not in (call.q_len, call.kv_len, call.head_dim):
            lead = [str(n) for n in (call.batch, call.heads) if n is not None]
            sizes.add("x".join([*lead, f"{call.q_len}:{call.kv_len}", str(call.head_dim)]))
    return ", ".join(sorted(sizes)) or None


def _causal(side: Side) -> str | None:
    told = {p.call.causal for p in side.pieces if p.call is not None}
    if None in told or len(told) != 1:
        return None
    return "yes" if told.pop() else "no"


def _op_shapes(rows: Sequence[Row]) -> Caution | None:
    """Ops that were matched by name though their shapes differ."""
    both = [row for row in rows if row.a and row.b and row.a.shapes and row.b.shapes]
    other = [row for row in both if row.a and row.b and row.a.shapes != row.b.shapes]
    if not other:
        return None
    return Caution("op shapes", f"{len(other)} of {len(both)} matched ops", "other shapes")
