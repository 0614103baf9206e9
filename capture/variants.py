"""The attention variants: one builder a name, each giving a function of q, k, v."""

from __future__ import annotations

import contextlib
import importlib
import math
import re
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own idiom
from torch.nn.attention import SDPBackend, sdpa_kernel

from capture.errors import CaptureError, Refusal
from capture.shapes import AttentionShape

Attention = Callable[[torch.Tensor, torch.Tensor, torch.Tensor], torch.Tensor]
Scope = Callable[[], AbstractContextManager[object]]

HUB_REPOSITORY = "kernels-community/flash-attn2"
HUB_VERSION = 2

# How torch names each backend in the warnings that say why it did not run.
_STATED_AS: dict[str, str] = {
    "flash": "Flash attention",
    "efficient": "Memory efficient",
    "cudnn": "cuDNN",
}


@dataclass(frozen=True, slots=True)
class Variant:
    """An attention function and the scope it runs in (a pinned backend), entered outside labels."""

    name: str
    attend: Attention
    scope: Scope = contextlib.nullcontext


def causal_mask(q_len: int, kv_len: int, device: torch.device) -> torch.Tensor:
    """[q_len, kv_len] booleans, True where query i must not see key j: j > i + kv_len - q_len."""
    visible = torch.ones(q_len, kv_len, dtype=torch.bool, device=device).tril(kv_len - q_len)
    return visible.logical_not()


def _repeat_heads(tensor: torch.Tensor, groups: int) -> torch.Tensor:
    return tensor if groups == 1 else tensor.repeat_interleave(groups, dim=1)


def naive_attention(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    hidden: torch.Tensor | None = None,
    dropout: float = 0.0,
) -> torch.Tensor:
    """Attention as the textbook writes it; `hidden` is True where a key is masked."""
    groups = q.shape[1] // k.shape[1]
    k, v = _repeat_heads(k, groups), _repeat_heads(v, groups)
    scores = torch.matmul(q, k.transpose(-2, -1)) * (1.0 / math.sqrt(q.shape[-1]))
    if hidden is not None:
        scores = scores.masked_fill(hidden, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if dropout:
        weights = F.dropout(weights, dropout)
    return torch.matmul(weights, v)


def naive_attention_inplace(
    q: torch.Tensor,
    k: torch.Tensor,
    v: torch.Tensor,
    hidden: torch.Tensor | None = None,
    dropout: float = 0.0,
) -> torch.Tensor:
    """The same, scaling and masking the scores in place."""
    groups = q.shape[1] // k.shape[1]
    k, v = _repeat_heads(k, groups), _repeat_heads(v, groups)
    scores = torch.matmul(q, k.transpose(-2, -1)).mul_(1.0 / math.sqrt(q.shape[-1]))
    if hidden is not None:
        scores = scores.masked_fill_(hidden, float("-inf"))
    weights = torch.softmax(scores, dim=-1)
    if dropout:
        weights = F.dropout(weights, dropout)
    return torch.matmul(weights, v)


def _naive(shape: AttentionShape, device: torch.device) -> Variant:
    hidden = causal_mask(shape.q_len, shape.kv_len, device) if shape.masked else None
    return Variant("naive", lambda q, k, v: naive_attention(q, k, v, hidden, shape.dropout))


def _naive_inplace(shape: AttentionShape, device: torch.device) -> Variant:
    hidden = causal_mask(shape.q_len, shape.kv_len, device) if shape.masked else None
    return Variant(
        "naive-inplace", lambda q, k, v: naive_attention_inplace(q, k, v, hidden, shape.dropout)
    )


def _compile(shape: AttentionShape, device: torch.device) -> Variant:
    hidden = causal_mask(shape.q_len, shape.kv_len, device) if shape.masked else None
    compiled = torch.compile(naive_attention, dynamic=False, fullgraph=True)
    return Variant("compile", lambda q, k, v: compiled(q, k, v, hidden, shape.dropout))


def _sdpa(name: str, backend: SDPBackend | None) -> Callable[..., Variant]:
    def build(shape: AttentionShape, device: torch.device) -> Variant:
        if device.type != "cuda" and name in ("efficient", "cudnn"):
            raise Refusal(f"SDPA's {name} backend is made of GPU kernels; it needs a CUDA device")
        # is_causal aligns to the first key; the last query must see all, so other lengths get
        # the mask spelled out.
        square = shape.q_len == shape.kv_len
        allowed = None
        if shape.masked and not square:
            allowed = causal_mask(shape.q_len, shape.kv_len, device).logical_not()

        def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
            return F.scaled_dot_product_attention(
                q,
                k,
                v,
                attn_mask=allowed,
                dropout_p=shape.dropout,
                is_causal=shape.masked and square,
                enable_gqa=shape.groups > 1,
            )

        if backend is None:
            return Variant(name, attend)
        return Variant(name, attend, lambda: sdpa_kernel(backend))

    return build


def _flex(shape: AttentionShape, device: torch.device) -> Variant:
    if shape.dropout:
        raise Refusal("FlexAttention has no dropout")
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    block_mask = None
    if shape.masked:
        reach = shape.kv_len - shape.q_len
        block_mask = create_block_mask(
            lambda b, h, i, j: j <= i + reach, None, None, shape.q_len, shape.kv_len, device
        )
    compiled = torch.compile(flex_attention, dynamic=False, fullgraph=True)
    return Variant(
        "flex",
        lambda q, k, v: compiled(q, k, v, block_mask=block_mask, enable_gqa=shape.groups > 1),
    )


def _require_triton(shape: AttentionShape, device: torch.device) -> None:
    if device.type != "cuda":
        raise Refusal("the Triton kernels need a CUDA device")
    if shape.dropout:
        raise Refusal("the Triton kernels have no dropout")
    try:
        importlib.import_module("triton")
    except ImportError as error:
        raise Refusal(f"Triton cannot be imported ({error}); pip install triton") from None


def _triton(shape: AttentionShape, device: torch.device) -> Variant:
    _require_triton(shape, device)
    if shape.head_dim not in (16, 32, 64, 128):
        raise Refusal(f"head dim {shape.head_dim}: the fused Triton kernel takes 16, 32, 64, 128")
    from capture.triton_kernels import fused_attention

    return Variant("triton", lambda q, k, v: fused_attention(q, k, v, causal=shape.masked))


def _triton_unfused(shape: AttentionShape, device: torch.device) -> Variant:
    _require_triton(shape, device)
    if shape.kv_len > 1 << 16:
        raise Refusal(f"{shape.kv_len} keys: the Triton softmax holds a row of 65536 at most")
    from capture.triton_kernels import unfused_attention

    return Variant(
        "triton-unfused", lambda q, k, v: unfused_attention(q, k, v, causal=shape.masked)
    )


def _hub_flash(shape: AttentionShape, device: torch.device) -> Variant:
    if device.type != "cuda":
        raise Refusal("the Hub's FlashAttention needs a CUDA device")
    if shape.dtype == "fp32":
        raise Refusal("the Hub's FlashAttention takes bf16 and fp16 only")
    try:
        loader = importlib.import_module("kernels")
    except ImportError:
        raise Refusal("the `kernels` package is not installed; pip install kernels") from None
    try:
        flash = loader.get_kernel(HUB_REPOSITORY, version=HUB_VERSION).flash_attn_func
    except Exception as error:  # whatever the Hub client, the network or the build raises
        raise Refusal(
            f"{HUB_REPOSITORY} v{HUB_VERSION} cannot be loaded from the Hub (no network, no cached"
            f" copy, or no build for this torch?): {one_line(error)}"
        ) from None

    def attend(q: torch.Tensor, k: torch.Tensor, v: torch.Tensor) -> torch.Tensor:
        # Heads and rows change places: views, no copies. Its causal mask already ends aligned.
        out = flash(
            q.transpose(1, 2),
            k.transpose(1, 2),
            v.transpose(1, 2),
            dropout_p=shape.dropout,
            causal=shape.masked,
        )
        return out.transpose(1, 2)

    return Variant("hub-flash", attend)


_BUILDERS: dict[str, Callable[[AttentionShape, torch.device], Variant]] = {
    "naive": _naive,
    "naive-inplace": _naive_inplace,
    "math": _sdpa("math", SDPBackend.MATH),
    "flash": _sdpa("flash", SDPBackend.FLASH_ATTENTION),
    "efficient": _sdpa("efficient", SDPBackend.EFFICIENT_ATTENTION),
    "cudnn": _sdpa("cudnn", SDPBackend.CUDNN_ATTENTION),
    "auto": _sdpa("auto", None),
    "compile": _compile,
    "flex": _flex,
    "triton": _triton,
    "triton-unfused": _triton_unfused,
    "hub-flash": _hub_flash,
}


def build(name: str, shape: AttentionShape, device: torch.device) -> Variant:
    """Make the variant `name` for `shape`. Raises Refusal where it cannot be made here."""
    return _BUILDERS[name](shape, device)


def one_line(error: BaseException) -> str:
    """What an error says, in one line: its first, or the exception Dynamo met in traced code."""
    text = str(error)
    if raised := re.search(r"raised exception \w+\('(.*?)'\)", text):
        return raised.group(1)
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return lines[0][:300] if lines else type(error).__name__


@contextlib.contextmanager
def refusing(name: str) -> Iterator[None]:
    """Turn what a backend raises on its first call into a Refusal with the stated reason.

    Out of memory passes through; a broken CUDA context becomes a CaptureError.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            yield
        except (torch.OutOfMemoryError, Refusal, CaptureError):
            raise
        except Exception as error:  # compilers and backends raise types of their own
            if str(error).startswith("CUDA error"):
                raise CaptureError(
                    f"{name}: {one_line(error)}; the device is unusable for this process now,"
                    " run the other variants without it"
                ) from error
            stated = stated_reasons(name, [str(warning.message) for warning in caught])
            # Newer versions of torch state them in the error itself, on lines of their own.
            whole = " ".join(str(error).split()) if name in _STATED_AS else one_line(error)
            raise Refusal("; ".join(stated) or whole) from error


def stated_reasons(name: str, messages: list[str]) -> list[str]:
    """SDPA's own reasons for not running backend `name`, from the warnings it gave.

    Torch states them as a heading ("Flash attention kernel not used because:") and the reasons
    after it; headings of other backends only say that pinning switched them off.
    """
    wanted = _STATED_AS.get(name)
    if wanted is None:
        return []
    reasons: list[str] = []
    current = ""
    for message in messages:
        text = re.sub(r"\s*\(Triggered internally at [^)]*\)", "", message).strip()
        heading = re.match(r"(.+?) kernel not used because:?\s*(.*)", text)
        if heading:
            current, text = heading.group(1), heading.group(2)
        if text and current.lower().startswith(wanted.lower()) and text not in reasons:
            reasons.append(text.rstrip("."))
    return reasons
