"""The command: list, run, suite, ceilings, info."""

from __future__ import annotations

import argparse
import importlib
import json
import os
import shlex
import shutil
import sys
import textwrap
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

from capture import interrupts
from capture.catalogue import BY_NAME, ENTRIES, SUITES
from capture.errors import CaptureError, shown
from capture.shapes import DTYPES, AttentionShape, Method, ModelShape

if TYPE_CHECKING:
    from capture.suite import Outcome, Setting

PROGRAM = "attntui-capture"


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status: 0, 2 on a failure, 130 on an interrupt."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    options = _parser().parse_args(arguments)
    options.command = shlex.join(["python", "-m", "capture", *arguments])
    handler: Callable[[argparse.Namespace], int] = options.handler
    try:
        with interrupts.watch():
            return handler(options)
    except CaptureError as error:
        print(shown(f"{PROGRAM}: {error}"), file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"{PROGRAM}: interrupted; the traces already listed are whole", file=sys.stderr)
        return 130


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        super().error(shown(message))


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog=PROGRAM,
        description="Profile attention workloads with torch.profiler into traces for attntui.",
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    listing = commands.add_parser("list", help="what can be captured, and what each teaches")
    listing.set_defaults(handler=_list)

    run = commands.add_parser("run", help="capture one or many workloads at one shape")
    run.add_argument("names", nargs="+", metavar="NAME", help="names that `list` shows")
    _add_common(run)
    run.set_defaults(handler=_run)

    suite = commands.add_parser(
        "suite",
        help="capture a whole set",
        description="; ".join(f"{name}: {text}" for name, text in SUITES.items()),
    )
    suite.add_argument("suite", choices=list(SUITES))
    _add_common(suite)
    suite.set_defaults(handler=_suite)

    ceilings = commands.add_parser("ceilings", help="measure copy bandwidth and product rates")
    _add_device(ceilings)
    ceilings.add_argument("--json", action="store_true", help="print JSON")
    ceilings.set_defaults(handler=_ceilings)

    info = commands.add_parser("info", help="device, driver and versions, as JSON")
    info.add_argument("--device", help="cuda where there is one, else cpu; or cuda:N, cpu")
    info.set_defaults(handler=_info)
    return parser


def _add_device(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--device", default="cuda", help="cuda (default), cuda:N or cpu")


def _add_common(parser: argparse.ArgumentParser) -> None:
    _add_device(parser)
    parser.add_argument("--out", type=Path, default=Path("traces"), help="folder (traces)")
    shape = parser.add_argument_group("attention shape")
    shape.add_argument("--batch", type=int, help="8; 1 for models")
    shape.add_argument("--heads", type=int, help="16; 12 for models")
    shape.add_argument("--kv-heads", type=int, help="key heads, fewer for grouped queries")
    shape.add_argument("--seq", type=int, default=1024, help="tokens (1024)")
    shape.add_argument("--q-len", type=int, help="queries, where not --seq (1: decode)")
    shape.add_argument("--kv-len", type=int, help="keys, where not --seq")
    shape.add_argument("--head-dim", type=int, default=64, help="64")
    shape.add_argument("--dtype", choices=DTYPES, default="bf16")
    shape.add_argument("--causal", action=argparse.BooleanOptionalAction, default=True)
    shape.add_argument("--dropout", type=float, default=0.0, help="probability (0)")
    shape.add_argument("--backward", action="store_true", help="forward and backward")
    model = parser.add_argument_group("model shape (also --batch, --heads, --seq, --dtype)")
    model.add_argument("--layers", type=int, default=12, help="blocks (12)")
    model.add_argument("--width", type=int, default=768, help="768")
    method = parser.add_argument_group("method")
    method.add_argument("--steps", type=int, default=3, help="recorded steps (3)")
    method.add_argument("--warmup", type=int, default=3, help="warm-up steps (3)")
    method.add_argument("--wait", type=int, default=1, help="steps before those (1)")
    method.add_argument("--seed", type=int, default=0)
    method.add_argument("--stacks", action="store_true", help="record Python stacks")
    method.add_argument("--ceilings", action="store_true", help="measure the device's roofs first")


def _list(options: argparse.Namespace) -> int:
    width = max(60, shutil.get_terminal_size().columns)
    margin = " " * 16

    def show(name: str, text: str) -> None:
        print(textwrap.fill(f"{name:16}{text}", width, subsequent_indent=margin))

    for entry in ENTRIES:
        show(entry.name, entry.teaches)
        show("", f"needs {entry.needs}")
    for name, text in SUITES.items():
        show(f"suite {name}", text)
    return 0


def _shapes(options: argparse.Namespace) -> tuple[AttentionShape, ModelShape]:
    heads = 16 if options.heads is None else options.heads
    attention = AttentionShape(
        batch=8 if options.batch is None else options.batch,
        heads=heads,
        kv_heads=heads if options.kv_heads is None else options.kv_heads,
        q_len=options.seq if options.q_len is None else options.q_len,
        kv_len=options.seq if options.kv_len is None else options.kv_len,
        head_dim=options.head_dim,
        dtype=options.dtype,
        causal=options.causal,
        dropout=options.dropout,
    )
    model = ModelShape(
        layers=options.layers,
        width=options.width,
        heads=12 if options.heads is None else options.heads,
        batch=1 if options.batch is None else options.batch,
        seq=options.seq,
        dtype=options.dtype,
    )
    return attention, model


def _run(options: argparse.Namespace) -> int:
    unknown = [name for name in options.names if name not in BY_NAME]
    if unknown:
        raise CaptureError(
            f"no workload is called {', '.join(unknown)}; `{PROGRAM} list` shows the names"
        )
    return _capture(options, "run", None)


def _suite(options: argparse.Namespace) -> int:
    return _capture(options, f"suite_{options.suite}", options.suite)


def _capture(options: argparse.Namespace, manifest: str, suite: str | None) -> int:
    method = Method(
        wait=options.wait,
        warmup=options.warmup,
        active=options.steps,
        seed=options.seed,
        stacks=options.stacks,
    )
    names = [] if suite else options.names
    attention, model = _shapes(options)
    _require_torch()
    from capture.suite import job_for, run_jobs, suite_jobs

    setting = _setting(options, method)
    if suite:
        jobs = suite_jobs(suite, attention, model, backward=options.backward)
    else:
        jobs = [job_for(name, attention, model, backward=options.backward) for name in names]
    outcomes = run_jobs(jobs, setting, manifest)
    return _report(outcomes, setting)


def _setting(options: argparse.Namespace, method: Method) -> Setting:
    from capture.environment import describe, resolve_device
    from capture.suite import Setting
    from capture.timing import measure_ceilings
    from capture.traces import prepare_directory

    device = resolve_device(options.device)
    prepare_directory(options.out)
    ceilings = measure_ceilings(device, method.seed) if options.ceilings else None
    return Setting(device, describe(device), method, options.out, options.command, ceilings)


def _report(outcomes: Sequence[Outcome], setting: Setting) -> int:
    counts = {
        status: [one for one in outcomes if one.status == status]
        for status in ("written", "refused", "failed")
    }
    told = ", ".join(f"{len(some)} {status}" for status, some in counts.items() if some)
    print(shown(f"{told}; in {setting.out}"))
    files = [str(setting.out / one.file) for one in counts["written"] if one.file]
    if files:
        # One is looked at, of more the first two side by side.
        print(shown(f"next: {shlex.join(['attntui', *files[:2]])}"))
    if counts["failed"]:
        raise CaptureError("; ".join(str(one.reason) for one in counts["failed"]))
    if not counts["written"]:
        raise CaptureError(
            "nothing was captured: "
            + "; ".join(f"{one.name}: {one.reason}" for one in counts["refused"])
        )
    return 0


def _ceilings(options: argparse.Namespace) -> int:
    _require_torch()
    from capture.environment import describe, resolve_device
    from capture.timing import measure_ceilings

    device = resolve_device(options.device)
    measured = measure_ceilings(device)
    name = describe(device).device_name
    if options.json:
        print(json.dumps({"device_name": name, **measured.facts()}, indent=2))
        return 0
    print(f"{name}: measured, medians, random data")
    print(f"copy   {measured.copy_gbps:>10,.1f} GB/s read plus written")
    for dtype in DTYPES:
        rate = getattr(measured, f"{dtype}_tflops")
        print(f"{dtype}   {rate:>10,.1f} TFLOP/s, {measured.matmul_size}^3 product")
    return 0


def _info(options: argparse.Namespace) -> int:
    _require_torch()
    from capture.environment import default_device, describe, resolve_device

    device = resolve_device(options.device or default_device())
    print(json.dumps(describe(device).facts(), indent=2))
    return 0


def _require_torch() -> None:
    """Import torch here, so that a missing or a broken one is a line and not a traceback."""
    # Kineto marks each start and stop with a line of its highest level, USDT.
    os.environ.setdefault("KINETO_LOG_LEVEL", "6")
    try:
        importlib.import_module("torch")
    except (ImportError, OSError) as error:
        raise CaptureError(
            f"torch cannot be imported by {sys.executable} ({error}); pip install torch, or run"
            " `python -m capture` with the Python that has it"
        ) from None
