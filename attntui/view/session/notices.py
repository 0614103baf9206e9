"""From one notice of the load to the next, in the overview."""

from __future__ import annotations

from dataclasses import replace

from attntui.view.session.session import Session
from attntui.view.tables.findings import findings_table, remarks


def next_notice(session: Session) -> Session:
    """The notice after the one selected, else the first, and the overview in focus: its rows
    lead to the events.
    """
    table = findings_table(session.slice)
    rows = [row for row, each in enumerate(remarks(session.slice)) if each.notice is not None]
    if not rows:
        return session.saying("nothing was odd in this file")
    here = table.row_of(session.selection)
    number = (rows.index(here) + 1) % len(rows) if here in rows else 0
    there = replace(session.turning_to(table.target(rows[number])), pane="overview")
    return there.saying(f"notice {number + 1} of {len(rows)}")
