"""What was measured, as a table with the targets."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure, and the most that it should be; None where there is no target."""

    what: str
    unit: str
    value: float
    target: float | None = None

    @property
    def met(self) -> str:
        if self.target is None:
            return ""
        return "met" if self.value <= self.target else "NOT met"


def lines(figures: Iterable[Figure]) -> Iterable[str]:
    for figure in figures:
        target = "" if figure.target is None else f"<= {figure.target:g}"
        yield f"{figure.what:<52} {figure.value:>10.3f} {figure.unit:<6} {target:<9} {figure.met}"
