"""Trace files to choose from: how old, how large, and what is known of each by now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from attntui.analysis.analysed import AnalysedTrace
from attntui.safe import Safe, safe
from attntui.view.files import TraceFile
from attntui.view.tables.model import (
    Column,
    Place,
    Table,
    drawn,
    every_row,
    figures,
    shares,
    sizes,
    texts,
)

MARK = safe("●")
_AGES = ((86_400 * 365, "y"), (86_400, "d"), (3_600, "h"), (60, "min"))


@dataclass(frozen=True, slots=True)
class FileFacts:
    """What the picker tells of a trace without opening it; None where it does not tell."""

    device: Safe | None = None
    steps: int | None = None
    busy: float | None = None

    @classmethod
    def of(cls, analysed: AnalysedTrace) -> FileFacts:
        whole = analysed.whole
        busy = whole.busy_ns / whole.span_ns if whole.span_ns else None
        return cls(_device(analysed), len(analysed.steps), busy)


_VENDORS = ("NVIDIA ", "AMD Instinct ", "AMD ", "Tesla ")


def _device(analysed: AnalysedTrace) -> Safe:
    """The device's model, without its vendor; that there is none."""
    if not analysed.whole.devices:
        return safe("CPU")
    name = analysed.labels.devices
    return safe(next((name.removeprefix(v) for v in _VENDORS if name.startswith(v)), name))


def files_table(
    found: Sequence[TraceFile],
    directory: Path,
    now: float,
    facts: Mapping[Path, FileFacts],
    marked: Sequence[Path] = (),
) -> Table:
    """One row a file, in the order given: the newest first, then the samples. `now` is in
    seconds since the epoch, as the times of the files are.
    """
    names = [_shown(f, directory) for f in found]
    told = [facts.get(f.path, FileFacts()) for f in found]
    ages = [max(0.0, now - f.changed) for f in found]
    return Table(
        (
            drawn(
                "",
                lambda row: MARK if found[row].path in marked else Safe(" "),
                every_row(names),
                Place(1),
            ),
            texts("trace", "trace", names, Place(None, least=42)),
            texts("device", "device", [f.device for f in told], Place(10, priority=1)),
            figures("steps", "steps", [f.steps for f in told], Place(5, priority=2)),
            shares("busy", "busy", [f.busy for f in told], Place(7)),
            sizes("size", "size", [f.size for f in found], Place(8, priority=3)),
            Column(
                "changed",
                safe("age"),
                lambda row: found[row].changed,
                lambda row: safe("sample") if found[row].sample else age(ages[row]),
                every_row(names)[::-1],
                place=Place(6),
            ),
        ),
        names,
        every_row(names),
        sort="changed",
        empty=safe("no trace files here: see README.md"),
    )


def age(seconds: float) -> Safe:
    """How long ago, in the largest unit that fits once: `3 h`."""
    for length, unit in _AGES:
        if seconds >= length:
            return safe(f"{int(seconds // length):,} {unit}")
    return safe("now")


def _shown(found: TraceFile, directory: Path) -> Safe:
    """A sample by its name without the ending, another file by its path from the directory."""
    if found.sample:
        return safe(found.path.name.removesuffix(".json.gz"))
    try:
        return safe(str(found.path.relative_to(directory)))
    except ValueError:
        return safe(str(found.path))
