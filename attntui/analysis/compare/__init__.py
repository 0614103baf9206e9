"""Two traces compared unit by unit: figures, and what answers to what."""

from attntui.analysis.compare.cautions import Caution
from attntui.analysis.compare.compare import (
    Comparison,
    PassedOver,
    against,
    chosen,
    compare,
    compare_all,
    compare_units,
    mirrored,
)
from attntui.analysis.compare.figures import Covered, Figures
from attntui.analysis.compare.metrics import Metric
from attntui.analysis.compare.pairing import Likeness, Pairing
from attntui.analysis.compare.rows import RoleOps, Row, RowGroup, Share, grouped
from attntui.analysis.compare.side import Side, take
from attntui.analysis.compare.units import UnitChoice, UnitKind, Units, available, find_units

__all__ = [
    "Caution",
    "Comparison",
    "Covered",
    "Figures",
    "Likeness",
    "Metric",
    "Pairing",
    "PassedOver",
    "RoleOps",
    "Row",
    "RowGroup",
    "Share",
    "Side",
    "UnitChoice",
    "UnitKind",
    "Units",
    "against",
    "available",
    "chosen",
    "compare",
    "compare_all",
    "compare_units",
    "find_units",
    "grouped",
    "mirrored",
    "take",
]
