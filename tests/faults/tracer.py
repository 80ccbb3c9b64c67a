"""Runs a command in a child process, counts the system calls that it makes for its files, and puts a fault into one of them.

The child is a fork of this process, which has loaded the program already, so a run costs no start of an interpreter. It is
traced, call by call. A fault is real where it can be: a short write is one whose length was made smaller, so the kernel
writes fewer bytes; a process that is killed is killed. Only an error is made up: the call is not made, and its answer is the
error.
"""

from __future__ import annotations

import ctypes
import errno
import gc
import itertools
import os
import platform
import random
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Final, NamedTuple, NoReturn

LIMIT: Final = 30.0
"""How many seconds a run may take."""
_EXIT_KILL: Final = 0x00100000
_TRACE_SECCOMP: Final = 0x00000080
_AT_A_CALL: Final = signal.SIGTRAP | 7 << 8
"""How a child stops at a call that its filter names."""
_NO_CALL: Final = (1 << 64) - 1
_HERE: Final = -100
_STREAMS: Final = {1: "standard output", 2: "standard error"}


class Fault(StrEnum):
    """What goes wrong at a call."""

    BEFORE = "killed-before"
    AFTER = "killed-after"
    ERROR = "io-error"
    FULL = "full-disk"
    SHORT = "short"
    TORN = "short-then-full"
    UNFLUSHED = "flush-fails"


class Call(NamedTuple):
    """A system call that concerns the files of a run: what it is called, and the path below the folder, or the stream."""

    name: str
    path: str
    changes: bool
    allocates: bool
    size: int
    stop: int = -1
    """How many stops of the traced process came before."""

    @property
    def is_output(self) -> bool:
        """Whether it writes on a standard stream."""
        return self.path in _STREAMS.values()

    def faults(self) -> list[Fault]:
        """What can go wrong at it."""
        found = [Fault.BEFORE, Fault.AFTER]
        if self.name in ("fsync", "fdatasync"):
            return [*found, Fault.UNFLUSHED]
        found.append(Fault.ERROR)
        if self.allocates:
            found.append(Fault.FULL)
        if self.name in ("write", "pwrite64") and self.size > 1:
            found += [Fault.SHORT, Fault.TORN]
        return found


@dataclass
class Run:
    """How a run ended: its exit code, or None when it was killed; what it printed; its calls until the fault."""

    code: int | None
    out: str
    err: str
    calls: list[Call] = field(default_factory=list)
    struck: Call | None = None
    """The call that got the fault."""
    late: bool = False
    """Whether it did not end in time."""


def why_not() -> str | None:
    """Why nothing can be traced here; None when it can."""
    if sys.platform != "linux" or platform.machine() != "x86_64":
        return f"the tracer knows system calls of Linux on x86_64 only, and this is {sys.platform} on {platform.machine()}"
    try:
        import ptrace.binding.func  # noqa: F401
    except ImportError as error:
        return f"python-ptrace is not installed: {error}"
    try:
        tried = start(lambda: None, Path("/"), Path("/"), {}, os.devnull, os.devnull)
    except OSError as error:
        return f"processes cannot be traced here: {error}"
    return None if tried.code == 0 else f"processes cannot be traced here: {tried}"


@dataclass(frozen=True)
class Plan:
    """A fault, and the call that gets it: by its number among the calls, by the stops before it, which is found faster, or the
    first for which ``when`` holds."""

    fault: Fault
    number: int = -1
    stop: int = -1
    when: Callable[[Call], bool] | None = None

    def strikes(self, number: int, call: Call) -> bool:
        if self.when is not None:
            return self.when(call)
        return call.stop == self.stop if self.stop >= 0 else number == self.number


def start(
    program: Callable[[], object],
    root: Path,
    folder: Path,
    environment: Mapping[str, str],
    out: str | os.PathLike[str],
    err: str | os.PathLike[str],
    *,
    arguments: Sequence[str] = (),
    seed: int = 0,
    plan: Plan | None = None,
    trace: bool = True,
    given: str | os.PathLike[str] = os.devnull,
) -> Run:
    """Runs a program in a child process; in it counts the calls that concern files below ``root``, and what is written on the
    standard streams, which go to the files ``out`` and ``err``. ``seed`` decides about its random bytes, and
    the file ``given`` is its standard input."""
    sys.stdout.flush()
    sys.stderr.flush()
    child = os.fork()
    if child == 0:
        _be_the_child(program, folder, environment, given, out, err, arguments, seed, trace)
    run = Run(None, "", "")
    tracer = _Tracer(child, os.fspath(root), plan, run)
    try:
        status = tracer.follow() if trace else _ended(child)
    except BaseException:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        raise
    run.code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
    run.out, run.err = (_text(name) for name in (out, err))
    return run


def _text(name: str | os.PathLike[str]) -> str:
    return Path(name).read_text("utf-8", "replace") if name != os.devnull else ""


def _ended(child: int) -> int:
    return os.waitpid(child, 0)[1]


def _be_the_child(
    program: Callable[[], object],
    folder: Path,
    environment: Mapping[str, str],
    given: str | os.PathLike[str],
    out: str | os.PathLike[str],
    err: str | os.PathLike[str],
    arguments: Sequence[str],
    seed: int,
    trace: bool,
) -> NoReturn:
    """Runs the program as a process of its own would, and ends."""
    code = 99
    try:
        gc.freeze()  # what is shared with the parent stays shared
        for stream, name in ((0, given), (1, out), (2, err)):
            handle = os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC if stream else os.O_RDONLY, 0o600)
            os.dup2(handle, stream)
            os.close(handle)
        sys.stdin = os.fdopen(0, closefd=False)  # where this process is a worker's, it is another file
        os.environ.clear()
        os.environ.update(environment)
        os.chdir(folder)
        stream_of_bytes = random.Random(seed)
        random.seed(seed)
        os.urandom = stream_of_bytes.randbytes
        stream_of_names = random.Random(seed)
        tempfile._name_sequence = (stream_of_names.randbytes(6).hex() for _ in itertools.count())
        sys.argv = ["forkpoint", *arguments]
        if trace:
            from ptrace.binding.func import ptrace_traceme

            ptrace_traceme()
            os.kill(os.getpid(), signal.SIGSTOP)
            _stop_at_calls()
        code = _finished(program)
    except BaseException:
        traceback.print_exc()
        code = 99
    finally:
        os._exit(code)


def _finished(program: Callable[[], object]) -> int:
    """The exit code of a program, as an interpreter gives it."""
    code: object = 0
    try:
        program()
    except SystemExit as stop:
        code = stop.code
    except BaseException:
        traceback.print_exc()
        code = 1
    try:
        sys.stdout.flush()
    except OSError:
        return 120
    return code if isinstance(code, int) else int(code is not None)


class _Late(Exception):
    """The time is over."""


class _Tracer:
    """Follows a child from call to call."""

    def __init__(self, child: int, root: str, plan: Plan | None, run: Run) -> None:
        self.child, self.root, self.plan, self.run = child, root, plan, run
        self.stops = 0
        self.full: str | None = None
        """What is full from now on: a standard stream, or the disk of all files (an empty text); None for nothing."""

    def follow(self) -> int:
        """The status with which the child ended."""
        before = signal.signal(signal.SIGALRM, self._too_late)
        signal.setitimer(signal.ITIMER_REAL, LIMIT)
        try:
            return self._follow()
        except _Late:
            self.run.late = True
            os.kill(self.child, signal.SIGKILL)
            return _ended(self.child)
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)

    def _too_late(self, *_: object) -> None:
        raise _Late

    def _follow(self) -> int:
        from ptrace.binding.func import PTRACE_O_TRACESYSGOOD, ptrace_cont, ptrace_setoptions

        self.status = _ended(self.child)
        if not os.WIFSTOPPED(self.status):
            return self.status
        ptrace_setoptions(self.child, PTRACE_O_TRACESYSGOOD | _TRACE_SECCOMP | _EXIT_KILL)
        self.memory = os.open(f"/proc/{self.child}/mem", os.O_RDONLY)
        try:
            while True:
                self.status = self._go_on(ptrace_cont)
                if not os.WIFSTOPPED(self.status):
                    return self.status
                waits = self.plan is not None and self.stops < self.plan.stop
                struck = self.run.struck is not None and self.full is None
                if not waits and not struck and not self._at_a_call():
                    return self.status
                self.stops += 1
        finally:
            os.close(self.memory)

    def _go_on(self, how: Callable[[int, int], None]) -> int:
        """Goes on to the next call, to the end of this one, or to the end of the child; signals are handed on."""
        deliver = 0
        while True:
            how(self.child, deliver)
            status = _ended(self.child)
            if not os.WIFSTOPPED(status) or status >> 8 in (_AT_A_CALL, signal.SIGTRAP | 0x80):
                return status
            stopped = os.WSTOPSIG(status)
            deliver = 0 if stopped in (signal.SIGTRAP, signal.SIGSTOP) else stopped

    def _kill(self) -> bool:
        os.kill(self.child, signal.SIGKILL)
        self.status = _ended(self.child)
        return False

    def _at_a_call(self) -> bool:
        """Looks at a call that begins, puts the fault into it if it is its turn, sees it through; False when the child ended."""
        from ptrace.binding.func import ptrace_getregs, ptrace_setregs, ptrace_syscall

        registers = ptrace_getregs(self.child)
        call = self._call(registers)
        number = len(self.run.calls)
        fault: Fault | None = None
        if call is not None:
            self.run.calls.append(call)
            if self.run.struck is None and self.plan is not None and self.plan.strikes(number, call):
                fault = self.plan.fault
                self.run.struck = call
                if fault in (Fault.FULL, Fault.TORN):
                    self.full = call.path if call.is_output else ""
            elif self.full is not None and call.allocates and (call.path if call.is_output else "") == self.full:
                fault = Fault.FULL
        if fault in (Fault.BEFORE, Fault.ERROR, Fault.FULL):  # the call is not made, and this is its answer
            registers.orig_rax = _NO_CALL
            registers.rax = (1 << 64) - (errno.ENOSPC if fault is Fault.FULL else errno.EIO)
            ptrace_setregs(self.child, registers)
            return fault is not Fault.BEFORE or self._kill()
        if fault is None:
            return True
        length = registers.rdx
        if fault in (Fault.SHORT, Fault.TORN):
            registers.rdx = length // 2
            ptrace_setregs(self.child, registers)
        self.status = self._go_on(ptrace_syscall)
        if not os.WIFSTOPPED(self.status):
            return False
        if fault is Fault.AFTER:
            return self._kill()
        registers = ptrace_getregs(self.child)
        if fault is Fault.UNFLUSHED:
            registers.rax = (1 << 64) - errno.EIO
        else:
            registers.rdx = length
        ptrace_setregs(self.child, registers)
        return True

    # ---- what a call is

    def _call(self, registers: object) -> Call | None:
        """The call that begins, if it concerns files below the root or a standard stream."""
        shape = _CALLS.get(registers.orig_rax)  # type: ignore[attr-defined]
        if shape is None:
            return None
        given = [getattr(registers, name) for name in ("rdi", "rsi", "rdx", "r10", "r8")]
        size = given[2] if shape.name in ("write", "pwrite64") else 0
        if shape.path is None:
            handle = _signed(given[shape.handle])
            if shape.name == "write" and handle in _STREAMS:
                return Call("write", _STREAMS[handle], True, True, size, self.stops)
            path = self._opened(handle) if handle >= 0 else None
        else:
            path = self._named(given[shape.path], None if shape.folder is None else _signed(given[shape.folder]))
        if path is None or not (path == self.root or path.startswith(self.root + "/")):
            return None
        changes, allocates = shape.changes, shape.allocates
        if shape.flags is not None:
            changes = bool(given[shape.flags] & (os.O_CREAT | os.O_TRUNC))
            allocates = bool(given[shape.flags] & os.O_CREAT)
        return Call(shape.name, os.path.relpath(path, self.root), changes, allocates, size, self.stops)

    def _opened(self, handle: int) -> str | None:
        try:
            return os.readlink(f"/proc/{self.child}/fd/{handle}").removesuffix(" (deleted)")
        except OSError:
            return None

    def _named(self, address: int, folder: int | None) -> str | None:
        try:
            text = os.pread(self.memory, 4096 - address % 4096, address)
            if b"\0" not in text:
                text += os.pread(self.memory, 4096, address + len(text))
        except OSError:
            return None
        name = os.fsdecode(text.split(b"\0", 1)[0])
        if name.startswith("/"):
            return os.path.normpath(name)
        if folder is None or folder == _HERE:
            above = os.readlink(f"/proc/{self.child}/cwd")
        else:
            found = self._opened(folder)
            if found is None:
                return None
            above = found
        return os.path.normpath(os.path.join(above, name))


def _signed(value: int) -> int:
    value &= 0xFFFFFFFF
    return value - (1 << 32) if value >> 31 else value


class _Shape(NamedTuple):
    """Where the arguments of a call say which file it is about."""

    name: str
    handle: int = 0
    path: int | None = None
    folder: int | None = None
    flags: int | None = None
    changes: bool = True
    allocates: bool = False


def _looks(name: str, **where: int) -> _Shape:
    return _Shape(name, changes=False, **where)


_SHAPES: Final = (
    _looks("read"),
    _looks("readv"),
    _looks("pread64"),
    _looks("fstat"),
    _looks("lseek"),
    _looks("mmap", handle=4),
    _looks("getdents64"),
    _looks("stat", path=0),
    _looks("lstat", path=0),
    _looks("access", path=0),
    _looks("readlink", path=0),
    _looks("readlinkat", path=1, folder=0),
    _looks("faccessat", path=1, folder=0),
    _looks("newfstatat", path=1, folder=0),
    _looks("statx", path=1, folder=0),
    _Shape("open", path=0, flags=1),
    _Shape("openat", path=1, folder=0, flags=2),
    _Shape("creat", path=0, allocates=True),
    _Shape("write", allocates=True),
    _Shape("writev", allocates=True),
    _Shape("pwrite64", allocates=True),
    _Shape("copy_file_range", handle=2, allocates=True),
    _Shape("sendfile", allocates=True),
    _Shape("fallocate", allocates=True),
    _Shape("fsync"),
    _Shape("fdatasync"),
    _Shape("flock"),
    _Shape("ftruncate"),
    _Shape("truncate", path=0),
    _Shape("fchmod"),
    _Shape("chmod", path=0),
    _Shape("fchmodat", path=1, folder=0),
    _Shape("utimensat", path=1, folder=0),
    _Shape("mkdir", path=0, allocates=True),
    _Shape("mkdirat", path=1, folder=0, allocates=True),
    _Shape("rmdir", path=0),
    _Shape("unlink", path=0),
    _Shape("unlinkat", path=1, folder=0),
    _Shape("link", path=1, allocates=True),
    _Shape("linkat", path=3, folder=2, allocates=True),
    _Shape("symlink", path=1, allocates=True),
    _Shape("symlinkat", path=2, folder=1, allocates=True),
    _Shape("rename", path=1, allocates=True),
    _Shape("renameat", path=3, folder=2, allocates=True),
    _Shape("renameat2", path=3, folder=2, allocates=True),
)


def _numbered() -> dict[int, _Shape]:
    """The calls by their numbers."""
    try:
        from ptrace.syscall import SYSCALL_NAMES
    except ImportError:
        return {}
    numbers = {name: number for number, name in SYSCALL_NAMES.items()}
    return {numbers[shape.name]: shape for shape in _SHAPES if shape.name in numbers}


_CALLS: Final = _numbered()


# ---- the filter of a child, by which it stops at these calls and at no others


class _Instruction(ctypes.Structure):
    _fields_ = (("code", ctypes.c_ushort), ("yes", ctypes.c_ubyte), ("no", ctypes.c_ubyte), ("value", ctypes.c_uint32))


class _Filter(ctypes.Structure):
    _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.POINTER(_Instruction)))


_LOAD, _EQUAL, _RETURN = 0x20, 0x15, 0x06
_NUMBER, _FIFTH = 0, 48
"""Where the filter finds the number of a call, and the fifth argument, which is the file that `mmap` maps."""
_GO_ON, _STOP = 0x7FFF0000, 0x7FF00000
_NO_NEW_PRIVILEGES, _SET_FILTER, _FILTER_MODE = 38, 22, 2


def _stop_at_calls() -> None:
    """Lets this process stop for its tracer at the calls that concern files. Raises :class:`OSError`."""
    mmap = next((number for number, shape in _CALLS.items() if shape.name == "mmap"), -1)
    others = sorted(_CALLS.keys() - {mmap})
    rows = [
        (_LOAD, 0, 0, _NUMBER),
        *((_EQUAL, len(others) - at + 3, 0, number) for at, number in enumerate(others)),
        (_EQUAL, 0, 2, mmap),
        (_LOAD, 0, 0, _FIFTH),
        (_EQUAL, 0, 1, 0xFFFFFFFF),  # no file
        (_RETURN, 0, 0, _GO_ON),
        (_RETURN, 0, 0, _STOP),
    ]
    instructions = (_Instruction * len(rows))(*rows)
    program = _Filter(len(rows), instructions)
    libc = ctypes.CDLL(None, use_errno=True)
    words = ctypes.c_ulong
    if libc.prctl(_NO_NEW_PRIVILEGES, words(1), words(0), words(0), words(0)) or libc.prctl(
        _SET_FILTER, words(_FILTER_MODE), ctypes.byref(program), words(0), words(0)
    ):
        raise OSError(ctypes.get_errno(), "cannot set a filter for system calls")
