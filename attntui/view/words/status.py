"""The title and status lines."""

from __future__ import annotations

from pathlib import Path

from attntui.analysis.scope import Whole
from attntui.safe import safe
from attntui.trace.model import Trace
from attntui.view.document import Document, Measured
from attntui.view.options import STANDARD_INPUT
from attntui.view.session.session import Session
from attntui.view.words.formats import count, counted, duration, percent, ratio


def device_name(document: Document) -> str:
    """The devices' name: one name, `2 x NAME`, or that none was recorded."""
    names = [d.name for d in document.trace.metadata.devices if d.name]
    used = [d.device for d in document.whole.idle]
    if not used:
        return "no GPU operations"
    if not names:
        return f"{counted(len(used), 'GPU')}, name not recorded"
    name = safe(names[0], 40)
    return f"{len(used)} x {name}" if len(used) > 1 else name


def file_name(trace: Trace) -> str:
    """The file's name without its folder."""
    if trace.path.startswith(STANDARD_INPUT):
        return "standard input"
    return safe(Path(trace.path).name, 80)


def title(session: Session) -> str:
    """File, device, steps, and what the scope's GPU time is made of."""
    document = session.document
    facts = session.facts
    words = [file_name(document.trace), device_name(document)]
    if not isinstance(session.scope, Whole):
        words.append(f"scope: {session.scope_text}" + ("" if session.is_settled else " …"))
    steps = len(document.steps)
    if steps:
        words.append(counted(steps, "step"))
    if facts.idle:
        busy = percent(ratio(facts.busy_ns, facts.span_ns))
        words.append(f"GPU busy {busy} of {duration(facts.span_ns)}")
        words.append(f"idle {duration(facts.idle_ns)}")
    notices = len(document.trace.notices)
    if notices:
        words.append(counted(notices, "notice"))
    return "   ".join(words)


def selection(session: Session) -> str:
    """What is selected or measured, in a line."""
    if session.said:
        return session.said
    if session.mark is not None:
        so_far = duration(abs(session.timeline.cursor - session.mark))
        return f"measuring {so_far}: v to finish, Esc to drop"
    if session.measured is not None and session.measured_facts is not None:
        length = duration(session.measured.end - session.measured.start)
        return f"range {length}: {measured_text(session.measured_facts)}   {_selected(session)}"
    return _selected(session)


def _selected(session: Session) -> str:
    if session.gap is not None:
        return f"gap {duration(int(session.gaps.length[session.gap]))}"
    if session.event is not None:
        length = duration(int(session.trace.dur[session.event]))
        return f"{session.document.short_of(session.event)}  {length}"
    return ""


def measured_text(facts: Measured) -> str:
    """GPU busy share and operations of a range."""
    if not facts.busy:
        return f"{count(facts.cpu_events)} events on hosts, no GPU operations in this trace"
    shares = ", ".join(
        (f"GPU {device} " if len(facts.busy) > 1 else "GPU ") + f"busy {percent(share)}"
        for device, share in facts.busy
    )
    return f"{shares}, {count(facts.gpu_ops)} GPU operations, {count(facts.cpu_events)} on hosts"
