"""Which limit of memory holds: on made-up systems, and under limits that are set."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest
from builders import cpu_op, trace_text

from attntui.errors import InputError, out_of_memory
from attntui.trace import load, loading
from attntui.trace.memory import available_memory, lies_in_memory

GB = 1024**3
FREE = 64 * GB
NO_LIMIT_V1 = 0x7FFFFFFFFFFFF000


class Machine:
    """The files of a made-up system with `FREE` bytes of memory."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._mounts: list[str] = []
        self._groups: list[str] = []
        self.write("proc/meminfo", f"MemTotal: 99 kB\nMemAvailable:   {FREE // 1024} kB\n")

    def write(self, path: str, text: str) -> None:
        (self.root / path).parent.mkdir(parents=True, exist_ok=True)
        (self.root / path).write_text(text)

    def mount(self, point: str, kind: str, options: str = "rw", top: str = "/") -> None:
        shown = point.replace(" ", "\\040")
        self._mounts.append(
            f"31 23 0:{30 + len(self._mounts)} {top} {shown} rw - {kind} x {options}"
        )
        self.write("proc/self/mountinfo", "\n".join(self._mounts) + "\n")

    def member(self, line: str) -> None:
        self._groups.append(line)
        self.write("proc/self/cgroup", "\n".join(self._groups) + "\n")

    def limit(self, directory: str, most: object, used: int = 0, inactive: int = 0) -> None:
        """A limit of version 2."""
        self.write(f"{directory}/memory.max", f"{most}\n")
        self.write(f"{directory}/memory.current", f"{used}\n")
        self.write(f"{directory}/memory.stat", f"anon 5\ninactive_file {inactive}\n")

    def limit_v1(self, directory: str, most: object, used: int = 0, inactive: int = 0) -> None:
        self.write(f"{directory}/memory.limit_in_bytes", f"{most}\n")
        self.write(f"{directory}/memory.usage_in_bytes", f"{used}\n")
        self.write(f"{directory}/memory.stat", f"inactive_file 1\ntotal_inactive_file {inactive}\n")

    @property
    def left(self) -> int:
        return available_memory(self.root)


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.fixture
def v2(machine: Machine) -> Machine:
    machine.mount("/sys/fs/cgroup", "cgroup2")
    return machine


def test_without_limits_the_free_memory_counts(machine: Machine) -> None:
    assert machine.left == FREE


@pytest.mark.parametrize("text", ["", "MemTotal: 5 kB\n"])
def test_a_system_that_says_nothing_has_some_memory(machine: Machine, text: str) -> None:
    machine.write("proc/meminfo", text)
    assert machine.left > 0


def test_the_least_limit_of_all_parents_holds(v2: Machine) -> None:
    v2.member("0::/system.slice/slurm/job_7/step_0/user/task_0")
    slurm = "sys/fs/cgroup/system.slice/slurm"
    v2.limit(f"{slurm}/job_7/step_0/user/task_0", "max")
    v2.limit(f"{slurm}/job_7/step_0/user", 9 * GB)
    v2.limit(f"{slurm}/job_7", 5 * GB, used=2 * GB)
    v2.limit(slurm, 50 * GB)
    assert v2.left == 3 * GB


def test_files_that_can_be_dropped_are_no_use_of_memory(v2: Machine) -> None:
    v2.member("0::/job")
    v2.limit("sys/fs/cgroup/job", 5 * GB, used=4 * GB, inactive=3 * GB)
    assert v2.left == 4 * GB


def test_a_limit_that_is_passed_leaves_nothing(v2: Machine) -> None:
    v2.member("0::/job")
    v2.limit("sys/fs/cgroup/job", GB, used=2 * GB)
    assert v2.left == 0


def test_a_container_that_sees_its_own_group_alone(v2: Machine) -> None:
    v2.member("0::/")
    v2.limit("sys/fs/cgroup", 2 * GB, used=GB)
    assert v2.left == GB


@pytest.mark.parametrize("path", ["/docker/abc", "/docker/abc/inner", "/../other", "/elsewhere"])
def test_a_path_of_the_host_is_found_below_the_mount(machine: Machine, path: str) -> None:
    machine.mount("/sys/fs/cgroup", "cgroup2", top="/docker/abc")
    machine.member(f"0::{path}")
    machine.limit("sys/fs/cgroup", 2 * GB)
    machine.limit("sys/fs/cgroup/inner", GB)
    machine.limit("sys/fs/other", 1)
    assert machine.left == (GB if path.endswith("inner") else 2 * GB)


def test_version_1_beside_an_empty_version_2(machine: Machine) -> None:
    machine.mount("/sys/fs/cgroup/unified", "cgroup2")
    machine.mount("/sys/fs/cgroup/cpu,cpuacct", "cgroup", "rw,cpu,cpuacct")
    machine.mount("/sys/fs/cgroup/memory", "cgroup", "rw,memory")
    machine.member("5:cpu,cpuacct:/slurm/uid_1/job_2")
    machine.member("4:memory:/slurm/uid_1/job_2/step_0")
    machine.member("0::/")
    memory = "sys/fs/cgroup/memory/slurm/uid_1"
    machine.limit_v1(f"{memory}/job_2/step_0", NO_LIMIT_V1, used=GB)
    machine.limit_v1(f"{memory}/job_2", 6 * GB, used=3 * GB, inactive=GB)
    machine.limit_v1("sys/fs/cgroup/memory", NO_LIMIT_V1)
    machine.limit_v1("sys/fs/cgroup/cpu,cpuacct/slurm/uid_1/job_2", 1)
    assert machine.left == 4 * GB


def test_a_mount_with_a_blank_in_its_path(machine: Machine) -> None:
    machine.mount("/my groups", "cgroup2")
    machine.member("0::/a:b")
    machine.limit("my groups/a:b", GB)
    assert machine.left == GB


@pytest.mark.parametrize("text", ["", "nonsense", "4:memory", "::", "0::/x\n\n"])
def test_odd_files_are_no_limit(v2: Machine, text: str) -> None:
    v2.member(text)
    v2.write("sys/fs/cgroup/memory.max", "soon")
    v2.write("proc/self/mountinfo", "31 23 0:30 /\n - \n31 23 0:31 / /sys/fs/cgroup rw - cgroup2")
    assert v2.left == FREE


@pytest.mark.parametrize(
    ("limit", "mapped", "share"), [("RLIMIT_AS", 1000, 2), ("RLIMIT_DATA", 300, 1)]
)
def test_a_limit_of_the_shell_counts_less_what_is_taken(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, limit: str, mapped: int, share: int
) -> None:
    held = getattr(resource, limit)

    def limits(asked: int) -> tuple[int, int]:
        most = 2 * GB if asked == held else resource.RLIM_INFINITY
        return most, resource.RLIM_INFINITY

    monkeypatch.setattr(resource, "getrlimit", limits)
    machine.write("proc/self/statm", "1000 500 200 100 0 300 0\n")
    assert machine.left == (2 * GB - mapped * resource.getpagesize()) // share


def test_a_file_in_memory_is_told_from_one_on_disk(machine: Machine) -> None:
    with (machine.root / "proc/meminfo").open() as file:
        device = os.fstat(file.fileno()).st_dev
        place = f"{os.major(device)}:{os.minor(device)}"
        machine.write("proc/self/mountinfo", f"25 24 {place} / /tmp rw - tmpfs tmpfs rw\n")
        assert lies_in_memory(file.fileno(), machine.root)
        machine.write("proc/self/mountinfo", f"25 24 {place} / /tmp rw - ext4 /dev/sda rw\n")
        assert not lies_in_memory(file.fileno(), machine.root)


@pytest.mark.parametrize(
    ("error", "is_one"),
    [
        (MemoryError(), True),
        (RuntimeError("can't start new thread"), True),
        (ImportError("x.so: failed to map segment from shared object"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (RuntimeError("something else"), False),
        (OSError(28, "No space left on device"), False),
        (ValueError("can't start new thread"), False),
    ],
)
def test_which_errors_say_that_memory_ran_out(error: Exception, is_one: bool) -> None:
    assert out_of_memory(error) is is_one
    outer = ValueError("outer")
    outer.__cause__ = error
    assert out_of_memory(outer) is is_one


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("large") / "trace.json"
    path.write_text(trace_text([cpu_op(f"op{n % 50}", 10 * n, 5) for n in range(120_000)]))
    return path


def limited(path: Path, megabytes: int, *command: str) -> subprocess.CompletedProcess[str]:
    """A command over a trace in so much of address space."""
    most = megabytes * 1024**2
    return subprocess.run(
        [sys.executable, "-m", "attntui", *command, str(path)],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (most, most)),
    )


@pytest.mark.skipif(sys.platform != "linux", reason="the limit holds on Linux alone")
@pytest.mark.parametrize("megabytes", [60, 120, 140, 160, 200, 260])
def test_too_little_address_space_ends_in_a_line_or_opens_a_part(
    large: Path, megabytes: int
) -> None:
    done = limited(large, megabytes, "summary")
    lines = done.stderr.splitlines()
    assert "Traceback" not in done.stderr
    if done.returncode == 0:
        assert done.stdout
        assert all(line.startswith("attntui: note: ") for line in lines)
    else:
        assert done.returncode == 2
        assert done.stdout == ""
        assert lines[-1].startswith("attntui: ")
        assert "memory" in lines[-1]


def test_a_budget_that_the_analysis_needs_too_is_kept(
    large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(loading, "available_memory", lambda: 30 * 1024**2)
    trace = load(large)
    assert 0 < len(trace) < 120_000
    assert "memory" in [notice.kind for notice in trace.notices]


def test_a_load_that_runs_out_says_where(large: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise MemoryError

    monkeypatch.setattr(loading, "assemble", refuse)
    with pytest.raises(InputError, match="ran out after 120,000 events"):
        load(large)
