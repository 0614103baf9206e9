"""The summary as JSON, for scripts: integers in nanoseconds, absent facts null."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from attntui.analysis.annotations import STEP_LABEL
from attntui.analysis.attention import AttentionCall
from attntui.analysis.gap_causes import GapCauses
from attntui.analysis.idle import DeviceIdle
from attntui.analysis.kernel_facts import KernelFact
from attntui.trace.model import ABSENT, Trace
from attntui.view.facts import Facts
from attntui.view.words.findings import finding_json

LONG_GAP_NS = 10_000
"""What `gaps_over_10us` counts: gaps longer than this."""


def summary(facts: Facts) -> dict[str, Any]:
    """The summary as plain dicts, lists, strings and numbers; keys are an interface."""
    return {
        "trace": _trace(facts),
        "devices": [
            _device(idle, causes, facts.launched.get(idle.device))
            for idle, causes in zip(facts.devices, facts.causes, strict=True)
        ],
        "kernels": _kernels(facts),
        "attention": [_attention(call) for call in facts.attention],
        "findings": [finding_json(finding) for finding in facts.findings],
        "annotations": _annotations(facts),
    }


def dumps(data: dict[str, Any]) -> str:
    """JSON in pure ASCII, so that no text of a trace reaches a terminal as a control."""
    return json.dumps(data, ensure_ascii=True, allow_nan=False, indent=1).replace("\x7f", "\\u007f")


def _trace(facts: Facts) -> dict[str, Any]:
    trace: Trace = facts.trace
    annotations = facts.annotations
    steps = (
        len(annotations.instances(annotations.labels.index(STEP_LABEL)))
        if STEP_LABEL in annotations.labels
        else 0
    )
    return {
        "path": trace.path,
        "events": trace.events,
        "complete_events": sum(trace.category_counts.values()),
        "categories": dict(trace.category_counts),
        "gpu_ops": len(trace.gpu_ops),
        "gpu_ops_with_launch": len(trace.gpu_ops_by_launch),
        "device_name": facts.device_name,
        "profiler_steps": steps,
        "notices": [
            {"kind": notice.kind, "count": notice.count, "example": notice.example}
            for notice in trace.notices
        ],
    }


def _device(idle: DeviceIdle, causes: GapCauses, launched: DeviceIdle | None) -> dict[str, Any]:
    return {
        "device": None if idle.number == ABSENT else idle.number,
        "gpu_ops": len(idle.rows),
        "span_ns": idle.span_ns,
        "busy_ns": idle.busy_ns,
        "idle_ns": idle.idle_ns,
        "gaps": len(idle.gaps),
        "gaps_over_10us": int(np.count_nonzero(idle.gaps.length > LONG_GAP_NS)),
        "longest_gap_ns": idle.longest_gap_ns,
        "launched": {
            "gpu_ops": len(launched.rows) if launched else 0,
            "span_ns": launched.span_ns if launched else 0,
            "busy_ns": launched.busy_ns if launched else 0,
        },
        "idle_by_cause_ns": {cause.name.lower(): ns for cause, ns in causes.by_cause().items()},
        "idle_by_trigger_ns": {
            trigger.name.lower(): ns for trigger, ns in causes.by_trigger().items()
        },
    }


def _kernels(facts: Facts) -> list[dict[str, Any]]:
    table = facts.kernels
    columns = zip(
        (facts.trace.names[i] for i in table.name.tolist()),
        *(column.tolist() for column in (table.total, table.count, table.mean)),
        *(column.tolist() for column in (table.min, table.max)),
        strict=True,
    )
    keys = ("name", "total_ns", "count", "mean_ns", "min_ns", "max_ns")
    return [
        dict(zip(keys, values, strict=True)) | _kernel_fact(fact)
        for values, fact in zip(columns, facts.kernel_facts, strict=True)
    ]


def _kernel_fact(fact: KernelFact) -> dict[str, Any]:
    """What work and name tell; `coverage` is the share of the time whose work is known."""
    return {
        "library": fact.decoded.library,
        "tensor_cores": fact.decoded.tensor_cores,
        "bound": fact.bound.kind,
        "tflops": fact.bound.tflops,
        "gbps": fact.bound.gbps,
        "roof_share": fact.bound.share,
        "coverage": fact.coverage,
        "occupancy_pct": fact.occupancy_pct,
    }


_CALL_KEYS = (
    "backend",
    "direction",
    "batch",
    "heads",
    "kv_heads",
    "q_len",
    "kv_len",
    "head_dim",
    "dtype",
    "causal",
    "flops",
    "gpu_ops",
    "gpu_ns",
    "cpu_ns",
    "hbm_bytes",
    "fused_hbm_bytes",
    "evidence",
)


def _attention(call: AttentionCall) -> dict[str, Any]:
    return {key: getattr(call, key) for key in _CALL_KEYS} | {
        "roles": [
            {
                "role": share.role,
                "gpu_ops": share.gpu_ops,
                "gpu_ns": share.gpu_ns,
                "hbm_bytes": share.hbm_bytes,
            }
            for share in call.roles
        ]
    }


def _annotations(facts: Facts) -> dict[str, list[dict[str, int]]]:
    found, work = facts.annotations, facts.annotations.work
    columns = (
        found.cpu_ns,
        work.gpu_ops,
        work.gpu_ns,
        work.gpu_ops_any_thread,
        work.gpu_ns_any_thread,
    )
    keys = ("cpu_ns", "gpu_ops", "gpu_ns", "gpu_ops_any_thread", "gpu_ns_any_thread")
    by_label: dict[str, list[dict[str, int]]] = {label: [] for label in found.labels}
    for label, *values in zip(found.label.tolist(), *(c.tolist() for c in columns), strict=True):
        by_label[found.labels[label]].append(dict(zip(keys, values, strict=True)))
    return by_label
