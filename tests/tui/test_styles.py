"""The styles of the screens: each names widgets that there are."""

from __future__ import annotations

import importlib
import pkgutil
import re
from pathlib import Path

from textual.dom import DOMNode

import attntui.tui


def every_class(of: type[DOMNode]) -> set[type[DOMNode]]:
    return {of}.union(*(every_class(kind) for kind in of.__subclasses__()))


def test_every_type_that_a_style_names_is_a_widget() -> None:
    for module in pkgutil.walk_packages(attntui.tui.__path__, "attntui.tui."):
        importlib.import_module(module.name)
    classes = every_class(DOMNode)
    names = {kind.__name__ for kind in classes}
    own = [kind for kind in classes if kind.__module__.startswith("attntui.")]
    styled = {kind.__name__: kind.__dict__.get("DEFAULT_CSS", "") for kind in own}
    files = Path(attntui.tui.__path__[0]).rglob("*.tcss")
    styled |= {file.name: file.read_text("utf-8") for file in files}
    selectors = {
        name: re.sub(r"/\*.*?\*/|\{.*?\}", " ", css, flags=re.S) for name, css in styled.items()
    }
    told = {name: re.findall(r"(?<![\w.#:-])[A-Z]\w*", text) for name, text in selectors.items()}
    assert sum(map(len, told.values())) > 10
    unknown = {name: set(types) - names for name, types in told.items()}
    assert {name: types for name, types in unknown.items() if types} == {}
