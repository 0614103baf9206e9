"""What every part of a document is."""

from __future__ import annotations

from msgspec import Struct


class Part(Struct, forbid_unknown_fields=True, kw_only=True):
    """A part of a document: each of its keys is always there, and no other."""
