"""The table of attention ops, and the words that its rows are told in."""

from __future__ import annotations

import json
from dataclasses import fields

import pytest

from attntui.analysis.attention.model import ROLES
from attntui.analysis.attention_ops import (
    _TABLE,
    AttentionOp,
    Backend,
    Direction,
    attention_op,
)

_POSITIONS = ("causal", "mask_type", "mask", "packed", "lse_at")


def _positions(op: AttentionOp) -> list[int]:
    """Every argument position of a row: q, k, v, and what else it tells."""
    told = [getattr(op, name) for name in _POSITIONS] + list(op.saved or ())
    q = [] if op.q is None else [op.q, op.q + 1, op.q + 2]
    return q + [at for at in told if at is not None]


@pytest.mark.parametrize(("name", "op"), _TABLE, ids=[str(name) for name, _ in _TABLE])
def test_no_two_things_stand_in_one_position(name: object, op: AttentionOp) -> None:
    positions = _positions(op)
    assert len(set(positions)) == len(positions)
    assert min(positions, default=0) >= 0
    assert op.heads_at in (0, 1, 2)


@pytest.mark.parametrize(("name", "op"), _TABLE, ids=[str(name) for name, _ in _TABLE])
def test_a_row_tells_what_its_direction_has(name: object, op: AttentionOp) -> None:
    backward = op.direction is Direction.BACKWARD
    # The output's gradient comes first in a backward.
    assert not backward or op.q == 1
    assert not (backward and (op.lse or op.lse_at is not None))
    assert op.saved is None or backward
    assert op.causal is None or op.mask_type is None


def test_names_stand_once() -> None:
    names = [name for name, _ in _TABLE if isinstance(name, str)]
    assert len(set(names)) == len(names)


@pytest.mark.parametrize(
    ("name", "backend", "direction"),
    [
        ("aten::scaled_dot_product_attention", None, "forward"),
        ("aten::_flash_attention_backward", "flash", "backward"),
        ("flash_attn::_flash_attn_varlen_forward", "flash", "forward"),
        ("flash_attn_3::bwd", "flash", "backward"),
        ("xformers::efficient_attention_backward_cutlass", "efficient", "backward"),
        ("vllm::unified_attention_with_output", None, "forward"),
        ("sglang::unified_attention", None, "forward"),
    ],
)
def test_ops_by_name_and_by_pattern(name: str, backend: str | None, direction: str) -> None:
    op = attention_op(name)
    assert op is not None
    assert (op.backend, op.direction) == (backend, direction)


@pytest.mark.parametrize(
    "name", ["aten::mm", "aten::flash_attn::fwd", "my::attention", "flash_attn::" + "x" * 300]
)
def test_other_ops_have_no_row(name: str) -> None:
    assert attention_op(name) is None


def test_words_read_print_and_serialise_as_they_are() -> None:
    for word in (*Backend, *Direction, *ROLES):
        assert f"{word}" == str(word) == word.value
        assert f"{word:>12}" == word.value.rjust(12)
        assert json.dumps({word: word}) == json.dumps({word.value: word.value})
    assert [backend for backend in Backend if backend.separate] == [Backend.NAIVE, Backend.MATH]


def test_every_position_of_a_row_is_looked_at() -> None:
    """A new field of a row has to join the check above."""
    known = {"backend", "direction", "heads_at", "q", "tokens", "paged", "lse", "saved"}
    assert {field.name for field in fields(AttentionOp)} == known | set(_POSITIONS)
