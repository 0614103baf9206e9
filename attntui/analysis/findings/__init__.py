"""Findings: what costs time, the evidence, and what to try."""

from attntui.analysis.findings.find import find_findings
from attntui.analysis.findings.model import Evidence, Finding, Place, Severity

__all__ = ["Evidence", "Finding", "Place", "Severity", "find_findings"]
