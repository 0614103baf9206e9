"""The key table as Textual bindings."""

from __future__ import annotations

from collections.abc import Sequence

from textual.binding import Binding, BindingType

from attntui.view.session.keys import KEYS, Key


def bindings(keys: Sequence[Key] = KEYS) -> list[BindingType]:
    """One binding a key, none of them a priority one: inputs must be able to take letters."""
    return [
        Binding(
            ",".join(key.keys),
            key.action,
            key.text,
            key_display=key.shown,
            show=False,
            id=key.name,
        )
        for key in keys
    ]
