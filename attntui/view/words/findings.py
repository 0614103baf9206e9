"""Findings in words: figures in their units, text of the trace made harmless."""

from __future__ import annotations

from string import Formatter

from attntui.analysis.findings import Finding
from attntui.analysis.quantity import Quantity
from attntui.safe import Safe, safe
from attntui.view.words.formats import figure

NAME_CELLS = 150
"""Cells of a name inside a sentence."""

_QUANTITIES = {
    "_ns": Quantity.TIME,
    "_bytes": Quantity.BYTES,
    "_share": Quantity.SHARE,
    "_pct": Quantity.PERCENT,
}
_SHORT = ("gpu", "cpu", "hbm")


def _unit(key: str) -> str:
    """The end of a figure's key that tells its unit, empty for a count."""
    return next((end for end in _QUANTITIES if key.endswith(end)), "")


def figure_text(key: str, value: int | float) -> Safe:
    """A figure in the unit that the end of its key tells."""
    return figure(value, _QUANTITIES.get(_unit(key), Quantity.COUNT))


def figure_label(key: str) -> Safe:
    """A figure's key as people read it: `GPU time` for `gpu_time_ns`."""
    words = key.removesuffix(_unit(key)).split("_")
    return safe(" ".join(word.upper() if word in _SHORT else word for word in words))


def title_text(finding: Finding) -> Safe:
    """The finding's sentence."""
    return _filled(finding, finding.title)


def advice_text(finding: Finding) -> Safe:
    """What to try."""
    return _filled(finding, finding.advice)


def assumes_text(finding: Finding) -> Safe:
    """What the gain stands on."""
    return _filled(finding, finding.assumes)


def _filled(finding: Finding, template: str) -> Safe:
    pieces = []
    for text, key, nouns, _ in Formatter().parse(template):
        pieces.append(text)
        if key is None:
            continue
        if key in finding.names:
            pieces.append(safe(finding.names[key], NAME_CELLS))
            continue
        pieces.append(figure_text(key, finding.figures[key]))
        if nouns:
            one, many = nouns.split("/")
            pieces.append(f" {one if finding.figures[key] == 1 else many}")
    return safe("".join(pieces))
