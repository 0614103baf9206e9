"""The documents name files that are there, and words that the code uses."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from attntui.analysis.attention.model import ROLES
from attntui.analysis.gap_causes import Cause, Trigger
from attntui.trace.model import Category
from attntui.view.options import TABLE_NAMES

ROOT = Path(__file__).parents[1]
DOCUMENTS = sorted(
    [
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")),
    ]
)

# A path from the project's root, or from the package for one that begins with a layer.
_PATH = re.compile(
    r"(?<![\w./-])(attntui|capture|docs|sample_traces|tests|\.ci|\.github"
    r"|trace|analysis|view|tui|cli)/([\w./*\[\]-]*\w/?)?"
)
_LAYERS = ("trace", "analysis", "view", "tui", "cli")
_LINK = re.compile(r"\]\(([^)\s]+)\)")
_CODE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def named_paths(document: Path) -> set[str]:
    """Every path that a document names, from the project's root."""
    found = {match.group(0) for match in _PATH.finditer(text_of(document))}
    return {f"attntui/{path}" if path.split("/")[0] in _LAYERS else path for path in found}


def links(document: Path) -> list[tuple[str, str]]:
    """The relative links of a document: file (empty for itself) and heading."""
    text = _CODE.sub("", text_of(document))
    found = [match.group(1) for match in _LINK.finditer(text)]
    kept = [link for link in found if not re.match(r"[a-z]+:", link)]
    return [(link.partition("#")[0], link.partition("#")[2]) for link in kept]


def headings(document: Path) -> set[str]:
    """The names under which headings are linked to, as GitHub makes them."""
    text = _CODE.sub("", text_of(document))
    titles = re.findall(r"^#+ +(.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title).strip().lower().replace(" ", "-") for title in titles}


def is_there(path: str) -> bool:
    return bool(list(ROOT.glob(path.rstrip("/")))) if "*" in path else (ROOT / path).exists()


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_file_named_exists(document: Path) -> None:
    missing = {path for path in named_paths(document) if not is_there(path)}
    assert not missing


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_relative_link_leads_somewhere(document: Path) -> None:
    for file, heading in links(document):
        target = (document.parent / file).resolve() if file else document
        assert target.exists(), f"{document.name}: {file}"
        assert not heading or heading in headings(target), f"{document.name}: {file}#{heading}"


@pytest.mark.parametrize(
    "words",
    [
        [cause.name.lower() for cause in Cause],
        [trigger.name.lower() for trigger in Trigger],
        [category.name.lower() for category in Category],
        [str(role) for role in ROLES],
    ],
    ids=["causes", "triggers", "categories", "roles"],
)
def test_the_architecture_defines_every_word(words: list[str]) -> None:
    defined = set(re.findall(r"`(\w+)`", text_of(ROOT / "docs" / "architecture.md")))
    assert set(words) <= defined


def test_the_readme_names_every_table() -> None:
    readme = " ".join(text_of(ROOT / "README.md").split())
    assert ", ".join(f"`{name}`" for name in TABLE_NAMES) in readme


def test_contributing_names_every_step_of_the_checks() -> None:
    steps = re.findall(r"^\.venv/bin/(?!pip)(.*)$", text_of(ROOT / ".ci" / "run"), re.MULTILINE)
    assert len(steps) >= 5
    contributing = text_of(ROOT / "CONTRIBUTING.md")
    assert [step for step in steps if step not in contributing] == []
