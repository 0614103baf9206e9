"""Annotations by label: time on the host, and the GPU work launched in them on any thread."""

from __future__ import annotations

import numpy as np

from attntui.analysis.annotations import Annotations
from attntui.analysis.groups import sums
from attntui.analysis.labels import shown_name
from attntui.view.tables.model import Table, data, every_row, figures, texts, times

REPORTED = ("count", "cpu_ns", "mean_cpu_ns", "gpu_ops", "gpu_ns", "label")


def annotations_table(found: Annotations) -> Table:
    """One row a label, the most time on the host first."""
    places = np.arange(len(found.labels))
    count = np.bincount(found.label, minlength=len(places))
    cpu, gpu_ops, gpu_ns = (
        sums(found.label, values, len(places))
        for values in (found.cpu_ns, found.work.gpu_ops_any_thread, found.work.gpu_ns_any_thread)
    )
    order = np.lexsort((places, -cpu))
    labels = [shown_name(found.labels[i]) for i in order]
    columns = (
        figures("count", "count", count[order]),
        times("cpu_ns", "CPU total", cpu[order]),
        times("mean_cpu_ns", "CPU mean", (cpu / np.maximum(count, 1))[order]),
        figures("gpu_ops", "GPU ops", gpu_ops[order]),
        times("gpu_ns", "GPU time", gpu_ns[order]),
        texts("label", "label", labels),
        data("name", [found.labels[i] for i in order]),
    )
    return Table(columns, labels, every_row(labels), sort="cpu_ns")
