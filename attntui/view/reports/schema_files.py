"""The JSON Schema files of the reports: `python -m attntui.view.reports.schema_files docs`."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from attntui.view.reports.schema import Diff, Overview, Part, Summary

FILES: dict[str, tuple[type[Part], ...]] = {
    "summary.schema.json": (Summary,),
    "diff.schema.json": (Diff, Overview),
}
"""The files of JSON Schema, and what each is of."""


def json_schema(*which: type[Part]) -> dict[str, Any]:
    """The JSON Schema (2020-12) of a document that is one of some types."""
    shapes, parts = msgspec.json.schema_components(which, ref_template="#/$defs/{name}")
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        **(shapes[0] if len(shapes) == 1 else {"oneOf": list(shapes)}),
        "$defs": parts,
    }


def file_text(name: str) -> str:
    """What stands in one of `FILES`."""
    return json.dumps(json_schema(*FILES[name]), indent=2) + "\n"


def main(arguments: Sequence[str]) -> None:
    """Writes the files into a folder."""
    (folder,) = map(Path, arguments)
    folder.mkdir(parents=True, exist_ok=True)
    for name in FILES:
        (folder / name).write_text(file_text(name), "utf-8")


if __name__ == "__main__":
    main(sys.argv[1:])
