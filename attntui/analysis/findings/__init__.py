"""Findings: what costs time, the evidence, and what to try."""

from attntui.analysis.findings.find import find_findings, observe
from attntui.analysis.findings.model import Finding, Observed, Severity

__all__ = ["Finding", "Observed", "Severity", "find_findings", "observe"]
