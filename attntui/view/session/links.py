"""From GPU operations to their launches and back."""

from __future__ import annotations

from attntui.analysis.launches import launched_inside
from attntui.trace.model import ABSENT, Category
from attntui.view.session.selection import CallAt
from attntui.view.session.session import Session


def to_launch(session: Session) -> Session:
    """From a GPU operation, or a gap's next one, to its launch call, both on screen."""
    event = session.event if session.gap is None else _after_gap(session)
    if event is None:
        return session.saying("no event selected")
    launch = int(session.trace.launch[event])
    if launch == ABSENT:
        return session.saying("no launch record for this event")
    return _linked(session, launch, event)


def to_kernel(session: Session) -> Session:
    """From a launch call, or anything that encloses one, to the first GPU operation; from
    a gap to the operation that ends it; from an attention call to its first kernel.
    """
    if isinstance(session.selection, CallAt):
        return _to_first_kernel(session, session.selection.index)
    after = _after_gap(session)
    if after is not None:
        return session.selecting(after)
    if session.event is None:
        return session.saying("no event selected")
    ops = launched_inside(session.trace, session.event)
    if not len(ops):
        return session.saying("this event launched nothing on the GPU")
    return _linked(session, int(ops[0]), session.event)


def _after_gap(session: Session) -> int | None:
    """The operation that ends the gap selected, one of the scope, else of the whole trace;
    None where no gap is.
    """
    gap = session.gap
    found = None
    if gap is not None:
        found = session.slice.find_gap(gap.device, gap.stream, gap.start, gap.end)
    if found is None:
        return None
    gaps, number = found
    return int(gaps.after[number])


def _to_first_kernel(session: Session, index: int) -> Session:
    rows = session.analysed.attention[index].gpu_rows
    if not len(rows):
        return session.saying("this call ran nothing on the GPU")
    kernels = rows[session.trace.category[rows] == Category.KERNEL]
    return session.onto_role(index, int((kernels if len(kernels) else rows)[0]))


def _linked(session: Session, event: int, other: int) -> Session:
    """An event selected, with the other end of its link on screen too."""
    trace = session.trace
    low = min(int(trace.start[event]), int(trace.start[other]))
    high = max(int(trace.end[event]), int(trace.end[other]))
    moved = session.selecting(event)
    return moved.showing(moved.timeline.viewport.reaching(low, high))
