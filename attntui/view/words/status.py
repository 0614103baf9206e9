"""The title and status lines."""

from __future__ import annotations

from pathlib import Path

from attntui.analysis.scope import Whole
from attntui.safe import Safe, safe
from attntui.trace.model import Trace
from attntui.view.options import STANDARD_INPUT
from attntui.view.session.session import Session
from attntui.view.words.formats import counted, duration, percent, ratio
from attntui.view.words.measured import measured_text


def file_name(trace: Trace) -> Safe:
    """The file's name without its folder."""
    if trace.path.startswith(STANDARD_INPUT):
        return safe("standard input")
    return safe(Path(trace.path).name, 80)


def title(session: Session) -> Safe:
    """What the scope's GPU time is made of, then where that is: what is cut comes last. Before
    the number of notices stands the key that leads to them.
    """
    analysed, part = session.analysed, session.slice
    words: list[str] = []
    if part.devices:
        busy = percent(ratio(part.busy_ns, part.span_ns))
        words.append(f"GPU busy {busy} of {duration(part.span_ns)}")
        words.append(f"idle {duration(part.idle_ns)}")
    if not isinstance(session.scope, Whole):
        words.append(f"scope: {session.scope_text}" + ("" if session.is_settled else " …"))
    steps = len(analysed.steps)
    if steps:
        words.append(counted(steps, "step"))
    notices = len(analysed.trace.notices)
    if notices:
        words.append(f"! {counted(notices, 'notice')}")
    return safe("   ".join([*words, analysed.labels.devices, file_name(analysed.trace)]))


def status(session: Session) -> Safe:
    """What was said or is being measured, and what is selected, in a line."""
    measured, selected = session.measured, session.selection_text
    if session.said:
        return safe("   ".join(filter(None, (session.said, selected))))
    if session.mark is not None:
        so_far = duration(abs(session.timeline.cursor - session.mark))
        return safe(f"measuring {so_far}: v to finish, Esc to drop   {selected}".rstrip())
    if measured is not None and session.selection == measured.range:
        return safe(f"{selected}: {measured_text(session.analysed.labels, measured)}")
    return selected
