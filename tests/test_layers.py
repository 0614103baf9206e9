"""Each layer imports only what lies below it, seen in a fresh process."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from builders import launched, write_trace

ROOT = Path(__file__).parents[1]
ABOVE = {
    "trace": ("analysis", "view", "tui", "cli"),
    "analysis": ("view", "tui", "cli"),
    "view": ("tui", "cli"),
    "tui": ("cli",),
    "cli": (),
}
NO_SCREEN = ("trace", "analysis", "view", "cli")


def imported_after(code: str) -> set[str]:
    """The modules that a fresh process has imported after running `code`."""
    # stdout is left to the code; the list goes to stderr.
    done = subprocess.run(
        [sys.executable, "-c", f"import sys\n{code}\nprint(*sys.modules, file=sys.stderr)"],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
        cwd=ROOT,
    )
    return set(done.stderr.splitlines()[-1].split())


def every_module_of(layer: str) -> str:
    """Code that imports a whole layer."""
    folder = ROOT / "attntui" / layer
    modules = sorted(
        ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")
        for path in folder.rglob("*.py")
    )
    assert modules
    return "\n".join(f"import {module}" for module in modules)


@pytest.mark.parametrize("layer", list(ABOVE))
def test_imports_point_down(layer: str) -> None:
    imported = imported_after(every_module_of(layer))
    above = {f"attntui.{name}" for name in ABOVE[layer]}
    assert not above & imported
    assert not {"torch", "triton", "capture"} & imported
    if layer in NO_SCREEN:
        assert "textual" not in imported


@pytest.mark.parametrize("arguments", [["--version"], ["summary"], ["summary", "--json"]])
def test_reports_import_no_screen(arguments: list[str], tmp_path: Path) -> None:
    path = write_trace(tmp_path, launched(1, 5, 30, 10))
    whole = arguments if arguments == ["--version"] else [*arguments, str(path)]
    imported = imported_after(
        f"from attntui.cli import main\ntry:\n    main({whole!r})\nexcept SystemExit:\n    pass"
    )
    assert "attntui.cli" in imported
    assert not {"textual", "torch", "attntui.tui"} & imported


def test_the_version_loads_no_arrays() -> None:
    imported = imported_after(
        "from attntui.cli import main\ntry:\n    main(['--version'])\nexcept SystemExit:\n    pass"
    )
    assert "numpy" not in imported
