"""Attention calls: found in the CPU op tree, with their roles, work, forward and backward."""

from attntui.analysis.attention.find import find_attention, within
from attntui.analysis.attention.model import AttentionCall, RoleShare

__all__ = ["AttentionCall", "RoleShare", "find_attention", "within"]
