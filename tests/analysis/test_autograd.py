"""What an op that awaits autograd's thread is charged, on traces made for it."""

from __future__ import annotations

import builders
import made
from builders import annotation, cpu_op

from attntui.analysis.self_time import SelfPart, SelfTimes, op_table, self_times

NODE = "autograd::engine::evaluate_function: MmBackward0"
ENGINE = 200


def told(cpu: SelfTimes) -> dict[str, tuple[int, int]]:
    """By name the self time and the time awaited, in us."""
    return {
        cpu.trace.name_of(int(row)): (int(own) // 1000, int(awaited) // 1000)
        for row, own, awaited in zip(cpu.rows, cpu.self_ns, cpu.awaited_ns, strict=True)
    }


def test_a_backward_that_waits_is_not_charged_with_the_engines_work() -> None:
    events = [
        annotation("step", 0, 1000),
        cpu_op("forward", 10, 90),
        annotation("backward", 200, 500),
        cpu_op(NODE, 220, 300, tid=ENGINE),
        cpu_op("aten::mm", 230, 100, tid=ENGINE),
        cpu_op(NODE.replace("Mm", "Sum"), 540, 100, tid=ENGINE),
    ]
    cpu = self_times(made.trace_of(events))
    found = told(cpu)
    # From the first node to the last one's end, 220 to 640 us.
    assert found["backward"] == (80, 420)
    assert found["step"] == (1000 - 90 - 500, 0)
    assert found["aten::mm"] == (100, 0)
    assert found[NODE] == (200, 0)
    top = cpu.parent == -1
    assert int(cpu.self_ns.sum() + cpu.awaited_ns.sum()) == int(cpu.total_ns[top].sum())
    table = op_table(cpu)
    assert cpu.trace.names[table.name[0]] == "step"
    assert table.awaited_ns.sum() == 420_000


def test_a_thread_that_works_meanwhile_awaits_nothing() -> None:
    engine = cpu_op(NODE, 100, 500, tid=ENGINE)
    busy = [annotation("other", 0, 900), cpu_op("aten::add", 150, 100), engine]
    assert told(self_times(made.trace_of(busy)))["other"] == (800, 0)
    elsewhere = [annotation("other", 0, 900, pid=builders.PID + 1), engine]
    assert told(self_times(made.trace_of(elsewhere)))["other"] == (900, 0)


def test_a_backward_on_the_calling_thread_is_no_wait() -> None:
    events = [annotation("backward", 0, 900), cpu_op(NODE, 100, 500)]
    cpu = self_times(made.trace_of(events))
    assert told(cpu) == {"backward": (400, 0), NODE: (500, 0)}
    assert int(cpu.split[:, SelfPart.DISPATCH].sum()) == 900_000
