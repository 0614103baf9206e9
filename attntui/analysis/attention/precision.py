"""Data types inside attention calls: what is converted, and whether half precision is left."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from attntui.analysis.attention.geometry import dtype_of
from attntui.analysis.attention.model import ROLES, Found, Role
from attntui.analysis.casts import is_cast
from attntui.analysis.groups import distinct, sums
from attntui.analysis.kernel_names import decode
from attntui.analysis.work.of_kernels import kernel_dtype
from attntui.trace.model import ABSENT, I64, Bool, Trace

_HALF = frozenset(("bf16", "fp16"))
_SINGLE = frozenset(("fp32", "tf32", "fp64"))
_MATHEMATICS = [ROLES.index(role) for role in (Role.QK, Role.SOFTMAX, Role.AV)]


@dataclass(frozen=True, slots=True)
class Precision:
    """The time in kernels that only convert data types, and whether q, k and v of 16 bits are
    multiplied, or their scores normalised, in 32; None where the call's type is not told.
    """

    casts_ns: int
    upcast: bool | None


def precisions(
    trace: Trace, found: Sequence[Found], call: I64, rows: I64, code: I64, inner: I64
) -> list[Precision]:
    """The precision of each call found. `call`, `code` (of the role) and `inner` (the op that
    launched it) are those of the GPU operations `rows`.
    """
    casts, halves, single = _told(trace, rows, inner)
    ns = sums(call[casts], trace.dur[rows[casts]], len(found))
    wide = np.zeros(len(found), np.bool_)
    wide[call[single & np.isin(code, _MATHEMATICS)]] = True
    halved = np.zeros(len(found), np.bool_)
    halved[call[halves]] = True
    return [
        Precision(time, _upcast(seen, is_wide, has_halves))
        for seen, time, is_wide, has_halves in zip(
            found, ns.tolist(), wide.tolist(), halved.tolist(), strict=True
        )
    ]


def _upcast(seen: Found, wide: bool, halved: bool) -> bool | None:
    kind = seen.geometry.dtype
    if not seen.backend.separate:
        return None if kind is None else False
    if kind in _SINGLE:
        # The type told is its products'; what was converted for them came in another.
        return halved
    return wide if kind in _HALF else None


def _told(trace: Trace, rows: I64, inner: I64) -> tuple[Bool, Bool, Bool]:
    """Which operations are casts, which casts read or write 16-bit floats, and which
    operations compute in 32 bits or more.
    """
    launched = inner != ABSENT
    op = np.where(launched, trace.name[inner], ABSENT).astype(np.int64)
    inputs = np.where(launched, trace.columns.inputs[inner], ABSENT).astype(np.int64)
    first, number = distinct(trace.name[rows].astype(np.int64), op, inputs)
    casts, halves, single = (np.zeros(len(first), np.bool_) for _ in range(3))
    columns = (trace.name[rows][first], op[first], inputs[first])
    for at, (name, launcher, given) in enumerate(zip(*(c.tolist() for c in columns), strict=True)):
        kernel = trace.names[name]
        args = None if given == ABSENT else trace.op_inputs[given]
        casts[at] = is_cast(kernel, None if launcher == ABSENT else trace.names[launcher], args)
        decoded = decode(kernel)
        kinds = decoded.dtypes or (kernel_dtype(decoded, args),)
        single[at] = not _SINGLE.isdisjoint(kinds)
        types = () if args is None else (dtype_of(args, place) for place in (0, 1))
        halves[at] = casts[at] and not _HALF.isdisjoint(types)
    return casts[number], halves[number], single[number]
