"""What a measured range holds, in words."""

from __future__ import annotations

from attntui.analysis.labels import Labels
from attntui.safe import Safe, safe
from attntui.view.session.measured import Measured
from attntui.view.words.formats import count, counted, percent

DEVICES_TOLD = 4
"""Devices whose busy share a line names; of more it tells how many."""


def measured_text(labels: Labels, measured: Measured) -> Safe:
    """GPU busy share and operations of a range."""
    hosts = measured.cpu_events
    if not measured.busy:
        return safe(f"{counted(hosts, 'event')} on hosts, no GPU operations in this trace")
    several = len(measured.busy) > 1
    shares = [
        f"{labels.device(device) if several else 'GPU'} busy {percent(share)}"
        for device, share in measured.busy[:DEVICES_TOLD]
    ]
    if len(measured.busy) > DEVICES_TOLD:
        shares.append(f"{len(measured.busy) - DEVICES_TOLD:,} more GPUs")
    operations = counted(measured.gpu_ops, "GPU operation")
    return safe(f"{', '.join(shares)}, {operations}, {count(hosts)} on hosts")
