"""The kernels of a fitted attention call can be read with their roles, whatever the size."""

from __future__ import annotations

import re
from itertools import groupby
from pathlib import Path

import pytest
from builders import CORPUS
from walker import NAIVE, PREFILL, SIZES, SMALL, WIDE, Walker, walking

from attntui.analysis.attention.model import ROLES, AttentionCall, Role
from attntui.analysis.attention_ops import Direction
from attntui.view.options import Options
from attntui.view.session.selection import CallAt, RoleAt

MATH = "math_b8_h16_s1024_d64_bf16_h200"
BACKWARD = "naive_b8_h16_s1024_d64_bf16_bwd_h200"


def roles_in_time(walker: Walker, call: AttentionCall) -> list[tuple[str, int]]:
    """Each role in the order of time with its first operation, memsets aside."""
    analysed = walker.screen.session.analysed
    own = [(ROLES[int(analysed.role_of[row])], int(row)) for row in call.gpu_rows]
    told = [pair for pair in own if pair[0] is not Role.MEMSET]
    return [(role.value, next(group)[1]) for role, group in groupby(told, lambda pair: pair[0])]


async def fit_call(walker: Walker, direction: Direction = Direction.FORWARD) -> AttentionCall:
    """Goes to the first call of a direction and fits it."""
    await walker.press("5")
    calls = walker.screen.session.analysed.attention
    for _ in calls:
        selected = walker.screen.session.selection
        assert isinstance(selected, CallAt)
        if calls[selected.index].direction is direction:
            await walker.press("enter", "f")
            return calls[selected.index]
        await walker.press("j")
    raise AssertionError("no such call")


def lane(walker: Walker, heading: str) -> str:
    """The body of a lane, cell by cell."""
    line = next(line for line in walker.text.splitlines() if line[2:].startswith(heading))
    timeline = walker.screen.query_one("#timeline")
    assert timeline.region.width
    start = timeline.content_region.x + timeline.heading_cells  # type: ignore[attr-defined]
    return line[start : timeline.content_region.right]


def read_roles(walker: Walker, call: AttentionCall) -> None:
    """Each role stands in the call's lane, in order, and no further from its first operation
    than those beside it push it.
    """
    body = lane(walker, "attention")
    wanted = roles_in_time(walker, call)
    view, width = walker.screen.session.timeline.viewport, len(body)
    at, pushed = 0, sum(len(name) + 1 for name, _ in wanted)
    assert re.findall("[a-z]+", body) == [name for name, _ in wanted]
    for name, row in wanted:
        at = body.index(name, at)
        first = view.cell(int(walker.screen.session.trace.start[row]), width)
        assert abs(at - first) < pushed
        at += len(name)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("name", [NAIVE, PREFILL, MATH])
async def test_each_role_stands_under_its_kernels(name: str, size: tuple[int, int]) -> None:
    async with walking(name, size) as walker:
        call = await fit_call(walker)
        read_roles(walker, call)
        first = roles_in_time(walker, call)[0][0]
        assert re.search(rf"▸ *{first}", lane(walker, "attention"))


@pytest.mark.parametrize("size", SIZES)
async def test_a_role_with_room_stands_at_its_kernel(size: tuple[int, int]) -> None:
    async with walking(PREFILL, size) as walker:
        call = await fit_call(walker)
        session, body = walker.screen.session, lane(walker, "attention")
        softmax = dict(roles_in_time(walker, call))["softmax"]
        cell = session.timeline.viewport.cell(int(session.trace.start[softmax]), len(body))
        assert body.index("softmax") - cell in (0, 1)


@pytest.mark.parametrize("size", SIZES)
async def test_roles_of_a_backward_call_too(size: tuple[int, int]) -> None:
    async with walking(BACKWARD, size) as walker:
        call = await fit_call(walker, Direction.BACKWARD)
        read_roles(walker, call)


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize(
    "name", ["hf_llama_eager", "hf_gpt_neox_train_eager", "gqa_repeat_naive_fp32_softmax",
             "hf_t5_eager", "torch_mha_need_weights"]
)  # fmt: skip
async def test_roles_of_real_models(name: str, size: tuple[int, int], shared: Path) -> None:
    async with walking(CORPUS.parent / "models" / f"{name}.json.gz", size) as walker:
        call = await fit_call(walker)
        read_roles(walker, call)


async def test_a_call_of_a_few_cells_keeps_its_name() -> None:
    async with walking(PREFILL, WIDE) as walker:
        await walker.press("5", "enter", "0", *["w"] * 2)
        assert "softmax" not in lane(walker, "attention")
        assert "naive" in lane(walker, "attention")


async def test_roles_without_block_elements() -> None:
    async with walking(PREFILL, SMALL, Options(ascii=True)) as walker:
        call = await fit_call(walker)
        body = lane(walker, "attention")
        names = body[body.index("[") + 1 : body.index("]")].strip("=>").split("=")
        assert [name for name in names if name] == [name for name, _ in roles_in_time(walker, call)]


@pytest.mark.parametrize("size", SIZES)
async def test_stepping_tells_the_role_everywhere(size: tuple[int, int]) -> None:
    async with walking(PREFILL, size) as walker:
        call = await fit_call(walker)
        assert re.search(r"│ roles +qk, scale, copy, mask,", walker.text)
        for number, (name, row) in enumerate(roles_in_time(walker, call), start=1):
            await walker.press("full_stop")
            assert walker.screen.session.selection == RoleAt(0, row)
            assert f"▸{name}" in lane(walker, "attention")
            assert walker.footer.split()[0] == name
            assert f"role {number} of 6 of naive fwd" in walker.text
            assert f"│ {name} " in walker.text
