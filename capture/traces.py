"""Files that are whole or absent: traces and manifests are written beside and moved into place."""

from __future__ import annotations

import contextlib
import gzip
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from capture.errors import CaptureError

METADATA_KEY = "attntui"

# Newer Kineto writes beside the path it is given, and leaves that file behind on a full disk.
_EXPORTER_SUFFIX = ".tmp"
_PART = re.compile(r"^\..+\.(\d+)\.part(?:\.tmp)?$")


def metadata_json(facts: Mapping[str, Any]) -> str:
    """Facts as JSON that survives Kineto, which turns every backslash of metadata into a slash.

    So no text may need an escape: quotes become apostrophes, backslashes slashes, control
    characters spaces, and other characters stay as they are.
    """
    return json.dumps(_plain(facts), ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, str):
        safe = value.replace("\\", "/").replace('"', "'")
        return "".join(char if char.isprintable() else " " for char in safe)
    if isinstance(value, Mapping):
        return {_plain(str(key)): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    return value


def prepare_directory(directory: Path) -> None:
    """Make `directory` and prove that it takes files, before any GPU time is spent.

    Raises CaptureError where it does not. Half-written files of captures that were killed are
    removed.
    """
    try:
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            pass
        for part in directory.iterdir():
            found = _PART.search(part.name)
            if found and not _alive(int(found.group(1))):
                part.unlink(missing_ok=True)
    except OSError as error:
        raise CaptureError(
            f"cannot write into {directory}: {error.strerror or error};"
            " pass another folder with --out"
        ) from None


def _alive(pid: int) -> bool:
    """Whether a process of this number runs."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


@contextlib.contextmanager
def _part(target: Path, kind: str) -> Iterator[Path]:
    """A scratch path beside `target`, gone in the end whatever happens."""
    part = target.with_name(f".{target.name}.{kind}.{os.getpid()}.part")
    try:
        yield part
    finally:
        part.unlink(missing_ok=True)
        part.with_name(f"{part.name}{_EXPORTER_SUFFIX}").unlink(missing_ok=True)


def write_trace(target: Path, export: Callable[[str], object]) -> None:
    """Write the JSON that `export(path)` makes to `target`, gzip, in one piece.

    `target` appears only when complete and on disk; an older file of the name stays until then.
    Raises CaptureError on a full disk or any other failure to write.
    """
    try:
        with _part(target, "json") as raw, _part(target, "gz") as packed:
            export(str(raw))
            _require_whole(raw)
            with (
                raw.open("rb") as source,
                packed.open("wb") as sink,
            ):
                with gzip.GzipFile("", "wb", fileobj=sink, mtime=0) as zipped:
                    shutil.copyfileobj(source, zipped, 1 << 20)
                sink.flush()
                os.fsync(sink.fileno())
            _move(packed, target)
    except OSError as error:
        raise _unwritten(target, error) from None


def write_json(target: Path, facts: Mapping[str, Any]) -> None:
    """Write `facts` as indented JSON to `target` in one piece. Raises CaptureError on failure."""
    try:
        with _part(target, "json") as part:
            with part.open("w", encoding="utf-8") as sink:
                json.dump(facts, sink, indent=2)
                sink.write("\n")
                sink.flush()
                os.fsync(sink.fileno())
            _move(part, target)
    except OSError as error:
        raise _unwritten(target, error) from None


def _require_whole(raw: Path) -> None:
    """The exporter raises nothing on a failed write: it leaves a cut file, or none."""
    tail = b""
    if raw.exists():
        with raw.open("rb") as source:
            source.seek(max(0, raw.stat().st_size - 64))
            tail = source.read()
    if not tail.rstrip().endswith(b"}"):
        raise OSError(None, "the exported trace was cut short, as on a full disk")


def _move(part: Path, target: Path) -> None:
    os.replace(part, target)
    folder = os.open(target.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def _unwritten(target: Path, error: OSError) -> CaptureError:
    return CaptureError(
        f"cannot write {target}: {error.strerror or error};"
        " free some space or pass another folder with --out"
    )
