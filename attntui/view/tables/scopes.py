"""The scopes to choose from: those of the place first, then every step, call and annotation."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from attntui.analysis.scope import Annotation, Call, Range, Scope, Step, Whole
from attntui.safe import safe
from attntui.trace.model import Category
from attntui.view.session.naming import scope_text
from attntui.view.session.scoping import offered, scope_span
from attntui.view.session.session import Session
from attntui.view.tables.model import Place, Table, names, times

_KINDS = (Whole, Step, Annotation, Call, Range)
_WORDS = tuple(safe(word) for word in ("whole", "step", "annotation", "attention", "range"))


@dataclass(frozen=True, eq=False)
class ScopeMenu:
    """The table of scopes, what each row stands for, and the row that comes first to mind."""

    table: Table
    scope: Callable[[int], Scope]
    first: int


def scope_menu(session: Session) -> ScopeMenu:
    """Every scope that a session's trace has; those where it stands come first."""
    analysed = session.analysed
    trace, steps = analysed.trace, analysed.steps
    here, likely = offered(session)
    annotated = np.flatnonzero(trace.category == Category.USER_ANNOTATION)
    annotated = annotated[~np.isin(annotated, steps.rows)]
    few: list[Scope] = [*here, *map(Call, range(len(analysed.attention)))]
    rows = np.concatenate((steps.rows, annotated)).astype(np.int64)

    def scope(row: int) -> Scope:
        if row < len(few):
            return few[row]
        number = row - len(few)
        return Step(number) if number < len(steps) else Annotation(int(rows[number]))

    spans = np.array([scope_span(analysed, one) for one in few], np.int64).reshape(-1, 2)
    start = np.concatenate((spans[:, 0], trace.start[rows]))
    end = np.concatenate((spans[:, 1], trace.end[rows]))
    is_step = np.arange(len(rows)) < len(steps)
    kind = np.concatenate(
        (
            np.array([_KINDS.index(type(one)) for one in few], np.int64),
            np.where(is_step, _KINDS.index(Step), _KINDS.index(Annotation)),
        )
    )
    # The names of the few come first among the labels, then each other name once.
    ids, of_rows = np.unique(trace.name[rows], return_inverse=True)
    labels = [scope_text(analysed, one) for one in few]
    labels += [analysed.labels.names[i] for i in ids.tolist()]
    label = np.concatenate((np.arange(len(few)), of_rows.reshape(-1) + len(few)))
    words, word_of = np.unique(np.stack((kind, label)), axis=1, return_inverse=True)
    columns = (
        replace(
            names("kind", "scope", _WORDS, kind, Place(10)),
            order=np.arange(len(kind), dtype=np.int64),
        ),
        names("label", "name", labels, label, Place(None)),
        times("start_ns", "start", start, Place(10, priority=1), digits=6),
        times("length_ns", "length", end - start, Place(9)),
    )
    table = Table(
        columns,
        [f"{_WORDS[k]} {labels[n]}" for k, n in words.T.tolist()],
        word_of.reshape(-1).astype(np.int64),
        sort="kind",
        descending=False,
    )
    return ScopeMenu(table, scope, few.index(likely))
