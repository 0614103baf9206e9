"""A GPT block stack as prefill, one-token decode with a KV cache, and a training step."""

from __future__ import annotations

import contextlib
import itertools
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import torch
import torch.nn.functional as F  # noqa: N812 - torch's own idiom
from torch import nn
from torch.nn.attention import SDPBackend, sdpa_kernel
from torch.profiler import record_function

from capture.check import Accuracy, relative_error
from capture.shapes import Method, ModelShape
from capture.timing import TORCH_DTYPES
from capture.variants import Scope, causal_mask, naive_attention, refusing
from capture.workload import Workload

# Roundings of every layer add up, so a stack is further from float64 than one attention call.
OUTPUT_BOUND: dict[str, float] = {"bf16": 5e-2, "fp16": 1e-2, "fp32": 1e-4}
GRADIENT_BOUND: dict[str, float] = {"bf16": 1e-1, "fp16": 2e-2, "fp32": 1e-3}


# Each timed decode has a position of its own, as in life: some backends plan anew a length.
TIMED_POSITIONS = 64


@dataclass(frozen=True, slots=True)
class KeyValues:
    """The cache of one block: keys and values, [batch, heads, longest, head_dim] each."""

    keys: torch.Tensor
    values: torch.Tensor


def _sdpa_attention(
    q: torch.Tensor, k: torch.Tensor, v: torch.Tensor, hidden: torch.Tensor | None
) -> torch.Tensor:
    return F.scaled_dot_product_attention(q, k, v, is_causal=hidden is not None)


ATTENTIONS: dict[str, Callable[..., torch.Tensor]] = {
    "naive": naive_attention,
    "sdpa": _sdpa_attention,
}


class Block(nn.Module):
    """Pre-norm attention and a four times wider MLP, each added to the residual."""

    def __init__(self, shape: ModelShape, attention: str) -> None:
        super().__init__()
        self.heads = shape.heads
        self.attend = ATTENTIONS[attention]
        self.norm_attention = nn.LayerNorm(shape.width)
        self.qkv = nn.Linear(shape.width, 3 * shape.width)
        self.project = nn.Linear(shape.width, shape.width)
        self.norm_mlp = nn.LayerNorm(shape.width)
        self.mlp = nn.Sequential(
            nn.Linear(shape.width, 4 * shape.width),
            nn.GELU(),
            nn.Linear(4 * shape.width, shape.width),
        )

    def forward(
        self,
        x: torch.Tensor,
        hidden: torch.Tensor | None,
        cache: KeyValues | None,
        position: int,
    ) -> torch.Tensor:
        """[batch, tokens, width] to the same; with a cache, reads and extends it at `position`."""
        batch, tokens, width = x.shape
        parts = self.qkv(self.norm_attention(x)).view(batch, tokens, 3, self.heads, -1)
        q, k, v = parts.permute(2, 0, 3, 1, 4).unbind(0)
        if cache is not None:
            end = position + tokens
            cache.keys[:, :, position:end] = k
            cache.values[:, :, position:end] = v
            k, v = cache.keys[:, :, :end], cache.values[:, :, :end]
        out = self.attend(q, k, v, hidden).transpose(1, 2).reshape(batch, tokens, width)
        x = x + self.project(out)
        return x + self.mlp(self.norm_mlp(x))


class Gpt(nn.Module):
    """Token and position embeddings, the blocks, a final norm and the vocabulary projection."""

    hidden: torch.Tensor

    def __init__(self, shape: ModelShape, attention: str, longest: int) -> None:
        super().__init__()
        self.tokens = nn.Embedding(shape.vocab, shape.width)
        self.positions = nn.Embedding(longest, shape.width)
        self.blocks = nn.ModuleList(Block(shape, attention) for _ in range(shape.layers))
        self.norm = nn.LayerNorm(shape.width)
        self.head = nn.Linear(shape.width, shape.vocab, bias=False)
        mask = causal_mask(shape.seq, shape.seq, torch.device("cpu"))
        self.register_buffer("hidden", mask, persistent=False)
        self.register_buffer("places", torch.arange(longest), persistent=False)

    def forward(
        self, tokens: torch.Tensor, caches: list[KeyValues] | None = None, position: int = 0
    ) -> torch.Tensor:
        """Token ids [batch, n] at `position` on to logits [batch, n, vocab]."""
        count = tokens.shape[1]
        x = self.tokens(tokens) + self.positions(self.places[position : position + count])
        hidden = self.hidden[:count, :count] if count > 1 else None
        for index, block in enumerate(self.blocks):
            x = block(x, hidden, caches[index] if caches else None, position)
        return self.head(self.norm(x))


@dataclass(frozen=True, slots=True)
class _Bench:
    """A model with its float64 twin's maker, and the prompt it works on."""

    shape: ModelShape
    device: torch.device
    model: Gpt
    prompt: torch.Tensor
    longest: int

    def reference(self) -> Gpt:
        """The same weights in float64 with naive attention."""
        twin = Gpt(self.shape, "naive", self.longest).to(self.device).double()
        twin.load_state_dict(self.model.state_dict())
        return twin

    def caches(self) -> list[KeyValues]:
        """Empty caches of the model's type, one a block."""
        shape = self.shape
        size = (shape.batch, shape.heads, self.longest, shape.head_dim)
        dtype = TORCH_DTYPES[shape.dtype]

        def empty() -> torch.Tensor:
            return torch.zeros(size, device=self.device, dtype=dtype)

        return [KeyValues(empty(), empty()) for _ in range(shape.layers)]

    def accuracy(self, out: torch.Tensor, expected: torch.Tensor) -> Accuracy:
        return Accuracy(relative_error(out, expected), OUTPUT_BOUND[self.shape.dtype])


def _bench(shape: ModelShape, attention: str, device: torch.device, method: Method) -> _Bench:
    torch.manual_seed(method.seed)
    longest = shape.seq + method.total + TIMED_POSITIONS
    model = Gpt(shape, attention, longest).to(device).to(TORCH_DTYPES[shape.dtype])
    generator = torch.Generator().manual_seed(method.seed)
    size = (shape.batch, shape.seq)
    prompt = torch.randint(shape.vocab, size, generator=generator).to(device)
    return _Bench(shape, device, model, prompt, longest)


def model_workload(name: str, shape: ModelShape, device: torch.device, method: Method) -> Workload:
    """The model workload `prefill-*`, `decode-*` or `train-*`, with `naive` or `sdpa` attention.

    `flash` is `sdpa` with the backend pinned.
    """
    job, _, attention = name.partition("-")
    scope: Scope = contextlib.nullcontext
    if attention == "flash":
        scope = partial(sdpa_kernel, SDPBackend.FLASH_ATTENTION)
    bench = _bench(shape, "naive" if attention == "naive" else "sdpa", device, method)
    makers = {"prefill": _prefill, "decode": _decode, "train": _train}
    labels, step, verify = makers[job](bench)
    later = itertools.cycle(range(method.total, method.total + TIMED_POSITIONS))

    def checked() -> Accuracy:
        with refusing(attention), scope():
            return verify()

    return Workload(
        name=name,
        stem=f"{name}_{shape.label}",
        labels=labels,
        step=step,
        timed=lambda: step(next(later)),
        check=checked,
        facts={"model": job, "attention": attention, "shape": shape.facts()},
        scope=scope,
    )


_Parts = tuple[tuple[str, ...], Callable[[int], object], Callable[[], Accuracy]]


def _prefill(bench: _Bench) -> _Parts:
    def step(index: int) -> None:
        with torch.no_grad(), record_function("prefill"):
            bench.model(bench.prompt)

    def verify() -> Accuracy:
        with torch.no_grad():
            return bench.accuracy(bench.model(bench.prompt), bench.reference()(bench.prompt))

    return ("prefill",), step, verify


def _decode(bench: _Bench) -> _Parts:
    caches = bench.caches()
    latest = bench.prompt[:, -1:].clone()
    with torch.no_grad():
        bench.model(bench.prompt, caches)

    def step(index: int) -> list[int]:
        nonlocal latest
        with torch.no_grad(), record_function("decode_step"):
            logits = bench.model(latest, caches, bench.shape.seq + index)
            latest = logits[:, -1].argmax(-1, keepdim=True)
            # The host reads the token, as a server does to stream it: a sync every step.
            return latest.flatten().tolist()

    def verify() -> Accuracy:
        token = bench.prompt[:, :1]
        with torch.no_grad():
            out = bench.model(token, caches, bench.shape.seq)
            # Query rows do not see later keys, so the last row of a full pass is the decode.
            wide = torch.cat([bench.prompt, token], 1)
            expected = _full_pass(bench.reference(), wide)
        return bench.accuracy(out, expected[:, -1:])

    return ("decode_step",), step, verify


def _full_pass(model: Gpt, tokens: torch.Tensor) -> torch.Tensor:
    """One pass without a cache over more tokens than the model's own mask holds."""
    count = tokens.shape[1]
    model.hidden = causal_mask(count, count, tokens.device)
    return model(tokens)


def _train(bench: _Bench) -> _Parts:
    on_gpu = bench.device.type == "cuda"
    host = bench.prompt.cpu()
    host = host.pin_memory() if on_gpu else host
    optimiser = torch.optim.AdamW(bench.model.parameters(), lr=1e-4)

    def step(index: int) -> float:
        with record_function("train_step"):
            with record_function("copy_in"):
                tokens = host.to(bench.device, non_blocking=True)
            with record_function("forward"):
                loss = _loss(bench.model, tokens)
            with record_function("backward"):
                loss.backward()
            with record_function("optimizer"):
                optimiser.step()
                optimiser.zero_grad(set_to_none=True)
            with record_function("loss_item"):
                return loss.item()

    def verify() -> Accuracy:
        twin = bench.reference()
        outputs, gradients = [], []
        for model in (bench.model, twin):
            loss = _loss(model, bench.prompt)
            grads = torch.autograd.grad(loss, tuple(model.parameters()))
            outputs.append(loss.detach())
            gradients.append(torch.cat([grad.flatten().double() for grad in grads]))
        return Accuracy(
            relative_error(outputs[0], outputs[1]),
            OUTPUT_BOUND[bench.shape.dtype],
            relative_error(gradients[0], gradients[1]),
            GRADIENT_BOUND[bench.shape.dtype],
        )

    labels = ("train_step", "copy_in", "forward", "backward", "optimizer", "loss_item")
    return labels, step, verify


def _loss(model: Gpt, tokens: torch.Tensor) -> torch.Tensor:
    """Cross entropy, in nats, of each token's successor; the last row predicts the first token."""
    logits = model(tokens).flatten(0, 1)
    if logits.dtype != torch.float64:
        logits = logits.float()
    return F.cross_entropy(logits, tokens.roll(-1, 1).flatten())
