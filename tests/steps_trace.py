"""A made-up trace of two steps, used by the tests of the views and the screens."""

from __future__ import annotations

import builders
from builders import Event


def two_steps() -> list[Event]:
    """Two steps of one matmul and one softmax each, a copy between, and memory events.

    Step n begins at 1,000 n us; the GPU runs `gemm` for 200 us and `softmax` for 100 us,
    with 50 us between them and a long gap between the steps.
    """
    events: list[Event] = [builders.thread_name("thread 100 (python3)")]
    for step in (1, 2):
        at = 1_000 * step
        c = 10 * step
        events += [
            builders.annotation(f"ProfilerStep#{step}", at, 900),
            builders.annotation("attn_fwd", at + 10, 800),
            builders.python_function("model.py(3): forward", at + 5, 850),
            builders.cpu_op("aten::matmul", at + 20, 100),
            builders.cpu_op("aten::mm", at + 30, 80, args={"Input Dims": [[4, 8], [8, 2]]}),
            builders.launch(c, at + 50, 10),
            builders.cpu_op("aten::softmax", at + 200, 60),
            builders.launch(c + 1, at + 220, 10),
            builders.kernel("ampere_bf16_s16816gemm_bf16_128x128_nn", at + 100, 200, c),
            builders.kernel("softmax_warp_forward", at + 350, 100, c + 1),
            builders.gpu_annotation("attn_fwd", at + 100, 350),
            builders.memory(at + 40, 512, 512 * step, 2_048),
        ]
    events.append(builders.kernel("leaked", 500, 10))
    return events
