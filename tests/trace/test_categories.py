"""What kind of thing an event is: by the file's word, and by name where a word means two."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from builders import complete

from attntui.analysis.steps import find_steps
from attntui.trace import Trace, load
from attntui.trace.model import Category


@pytest.mark.parametrize("word", ["Operator", "cpu_op"])
@pytest.mark.parametrize(
    ("name", "category"),
    [
        ("ProfilerStep#7", Category.USER_ANNOTATION),
        ("Optimizer.step#SGD.step", Category.USER_ANNOTATION),
        ("Optimizer.zero_grad#AdamW.zero_grad", Category.USER_ANNOTATION),
        ("enumerate(DataLoader)#_SingleProcessDataLoaderIter.__next__", Category.USER_ANNOTATION),
        ("DistributedDataParallel.forward", Category.USER_ANNOTATION),
        ("DataParallel.forward", Category.USER_ANNOTATION),
        ("aten::mm", Category.CPU_OP),
        ("my::ProfilerStep#7", Category.CPU_OP),
        ("ProfilerStep", Category.CPU_OP),
        ("Optimizer", Category.CPU_OP),
        ("autograd::engine::evaluate_function: AddBackward0", Category.CPU_OP),
    ],
)
def test_an_op_with_the_name_of_an_annotation_is_one(
    make_trace: Callable[..., Trace], word: str, name: str, category: Category
) -> None:
    trace = make_trace([complete("cpu_op", "aten::add", 0, 5), complete(word, name, 10, 5)])
    assert [trace.category_of(row) for row in range(2)] == [Category.CPU_OP, category]
    # The file's own word stays.
    assert trace.raw_categories[trace.columns.raw_category[1]] == word


def test_another_category_keeps_its_word(make_trace: Callable[..., Trace]) -> None:
    trace = make_trace([complete("python_function", "ProfilerStep#7", 0, 5)])
    assert trace.category_of(0) is Category.PYTHON_FUNCTION


def test_an_old_file_has_its_steps(shared: Path) -> None:
    trace = load(shared / "public" / "kineto_w0.json.gz")
    steps = find_steps(trace)
    assert (steps.family, len(steps)) == ("ProfilerStep#*", 6)
    ops = np.flatnonzero(trace.category == Category.CPU_OP)
    named = {trace.names[i] for i in np.unique(trace.name[ops]).tolist()}
    assert not [name for name in named if "#" in name]
