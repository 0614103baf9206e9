"""The title and status lines."""

from __future__ import annotations

from pathlib import Path

from attntui.analysis.labels import Labels
from attntui.analysis.scope import Whole
from attntui.safe import Safe, safe
from attntui.trace.model import Trace
from attntui.view.options import STANDARD_INPUT
from attntui.view.session.measured import Measured
from attntui.view.session.session import Session
from attntui.view.words.formats import count, counted, duration, percent, ratio


def file_name(trace: Trace) -> Safe:
    """The file's name without its folder."""
    if trace.path.startswith(STANDARD_INPUT):
        return safe("standard input")
    return safe(Path(trace.path).name, 80)


def title(session: Session) -> Safe:
    """What the scope's GPU time is made of, then where that is: what is cut comes last."""
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
        words.append(counted(notices, "notice"))
    return safe("   ".join([*words, analysed.labels.devices, file_name(analysed.trace)]))


def status(session: Session) -> Safe:
    """What was said, is being measured, or is selected, in a line."""
    if session.said:
        return session.said
    if session.mark is not None:
        so_far = duration(abs(session.timeline.cursor - session.mark))
        return safe(f"measuring {so_far}: v to finish, Esc to drop")
    if session.measured is not None:
        measured = session.measured.range
        length = duration(measured.end - measured.start)
        told = measured_text(session.analysed.labels, session.measured)
        return safe(f"range {length}: {told}   {session.selection_text}")
    return session.selection_text


DEVICES_TOLD = 4
"""Devices whose busy share a line names; of more it tells how many."""


def measured_text(labels: Labels, measured: Measured) -> Safe:
    """GPU busy share and operations of a range."""
    hosts = measured.cpu_events
    if not measured.busy:
        return safe(f"{counted(hosts, 'event')} on hosts, no GPU operations in this trace")
    several = len(measured.busy) > 1
    shares = [
        f"{labels.device(device) if several else 'GPU'} busy {percent(share)}"
        for device, share in measured.busy[:DEVICES_TOLD]
    ]
    if len(measured.busy) > DEVICES_TOLD:
        shares.append(f"{len(measured.busy) - DEVICES_TOLD:,} more GPUs")
    operations = counted(measured.gpu_ops, "GPU operation")
    return safe(f"{', '.join(shares)}, {operations}, {count(hosts)} on hosts")
