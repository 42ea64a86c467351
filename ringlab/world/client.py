"""The kernel's side: have ranks started, give them turns, gather what they do."""

from __future__ import annotations

import atexit
import contextlib
import os
import selectors
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import psutil

from ringlab.trace.records import RankRecord
from ringlab.words import world as words
from ringlab.world import sandbox
from ringlab.world.limits import LEARNING, Limits
from ringlab.world.supervisor import kill_tree
from ringlab.world.wire import BadFrame, Connection, Header

START_SECONDS = 120.0
CLEAN_SECONDS = 10.0
# A rank that waits for others uses no processor; so long without a sign from anyone is a hang.
QUIET_SECONDS = 1.0
FAILURE_GRACE_SECONDS = 0.25
RECORDS_PAUSE_SECONDS = 0.001
OUTPUT_LIMIT = 64 * 1024
MOST_RANKS = 64
# Of one rank in one call. More would fill the kernel's memory with records.
MOST_OPERATIONS = 20_000
FORKED_RANK_MIB = 60
SPAWNED_RANK_MIB = 350


class WorldError(RuntimeError):
    """A run could not be made, or did not end well; the message says what to do."""

    def _render_traceback_(self) -> list[str]:
        return [f"{type(self).__name__}: {str(self).splitlines()[0]}"]


class MachineryError(WorldError):
    """The course's own machinery broke; never the learner's fault."""


@dataclass
class Outcome:
    """How one rank's turn ended.

    kind: "returned", "refused", "raised", "died" (its process ended), "broke" (it sent what
    is no frame), or "unfinished".
    """

    kind: str = "unfinished"
    header: Header = field(default_factory=dict)
    payload: bytes = b""
    exit_code: int | None = None
    stack: str = ""


@dataclass
class Turn:
    """One call on every rank. `ended`: "returned", "failed", "hung" or "deadline".

    over: the limit for which the run was stopped, as a sentence.
    """

    outcomes: list[Outcome]
    records: list[RankRecord]
    outputs: list[str]
    ended: str
    seconds: float
    limits: Limits = LEARNING
    over: str = ""


class Host:
    """This kernel's host process: made when first needed, gone when idle or with the kernel."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._control: socket.socket | None = None
        self._owner = 0
        self._log: Any = None

    def start(self) -> None:
        """Start the host if there is none; returns at once, it loads torch in the background."""
        with self._lock:
            self._ensure()

    def send(self, descriptors: list[int]) -> None:
        """Hand a run's descriptors to the host. Raises MachineryError when it can't be started."""
        with self._lock:
            for _ in range(2):
                control = self._ensure()
                try:
                    socket.send_fds(control, [b"r"], descriptors)
                    return
                except OSError:
                    self._drop()
            raise MachineryError(words.NO_HOST.format(said=self.said()))

    @property
    def pid(self) -> int | None:
        """The host's process, while there is one."""
        return None if self._process is None else self._process.pid

    def said(self) -> str:
        """The end of what the host printed, for a message."""
        if self._log is None:
            return ""
        self._log.seek(0)
        return str(self._log.read()[-2000:].decode(errors="replace"))

    def stop(self) -> None:
        """End the host and what runs below it."""
        with self._lock:
            self._drop()

    def _ensure(self) -> socket.socket:
        if self._owner != os.getpid():
            # A forked child of this kernel has a host of its own.
            self._process = self._control = None
        if self._process is not None and self._process.poll() is not None:
            self._drop()
        if self._control is None:
            ours, theirs = socket.socketpair()
            self._log = tempfile.TemporaryFile()  # noqa: SIM115
            with theirs:
                self._process = self._started(theirs.fileno())
            self._control, self._owner = ours, os.getpid()
        return self._control

    def _started(self, descriptor: int) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-P", "-m", "ringlab.world.host", str(descriptor)]
        try:
            contained = sandbox.started(
                [*command, "sandboxed"],
                pass_fds=[descriptor],
                stderr=self._log,
                env=rank_environment(),
            )
        except OSError as error:
            raise MachineryError(words.NO_HOST.format(said=error)) from None
        return contained or subprocess.Popen(
            command,
            pass_fds=[descriptor],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=self._log,
            env=rank_environment(),
            start_new_session=True,
        )

    def outer_pids(self, pids: list[int]) -> list[int]:
        """The pids of ranks as this process sees them; in the sandbox they have others."""
        if sandbox.current() is None or self._process is None:
            return pids
        known = {}
        for process in psutil.Process(self._process.pid).children(recursive=True):
            with contextlib.suppress(OSError, ValueError, IndexError):
                status = Path(f"/proc/{process.pid}/status").read_text()
                numbers = status.partition("NSpid:")[2].partition("\n")[0].split()
                known[int(numbers[1])] = process.pid
        return [known.get(pid, 0) for pid in pids]

    def _drop(self) -> None:
        if self._control is not None:
            self._control.close()
        if self._process is not None and self._owner == os.getpid():
            try:
                self._process.wait(timeout=CLEAN_SECONDS)
            except subprocess.TimeoutExpired:
                kill_tree(self._process.pid)
                self._process.wait()
        self._process = self._control = None


def rank_environment() -> dict[str, str]:
    """One thread a rank, loopback only, and this library importable from anywhere."""
    home = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    path = os.pathsep.join([home, *filter(None, [os.environ.get("PYTHONPATH")])])
    loopback = "lo0" if sys.platform == "darwin" else "lo"
    return {
        **os.environ,
        "PYTHONPATH": path,
        "OMP_NUM_THREADS": "1",
        "MKL_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
        "GLOO_SOCKET_IFNAME": loopback,
        "PYTHONFAULTHANDLER": "",
        # Else each of gloo's threads reserves 64 MiB for allocations that it hardly makes.
        "MALLOC_ARENA_MAX": "2",
    }


HOST = Host()
atexit.register(HOST.stop)


def forking() -> bool:
    """Whether runs are forked from the host on this platform."""
    return sys.platform.startswith("linux")


def check_world_size(world_size: Any, start: str) -> None:
    """Raise WorldError for a number of ranks that makes no sense or doesn't fit in memory."""
    if not isinstance(world_size, int) or isinstance(world_size, bool):
        raise WorldError(words.BAD_WORLD_SIZE.format(world_size=world_size, most=MOST_RANKS))
    if not 1 <= world_size <= MOST_RANKS:
        raise WorldError(words.BAD_WORLD_SIZE.format(world_size=world_size, most=MOST_RANKS))
    each = SPAWNED_RANK_MIB if start == "spawn" or not forking() else FORKED_RANK_MIB
    free = psutil.virtual_memory().available >> 20
    if world_size * each > free:
        raise WorldError(
            words.TOO_MANY_RANKS.format(
                world_size=world_size,
                needed=world_size * each,
                free=free,
                most=max(1, free // each),
            )
        )


class Ranks:
    """N rank processes, alive until `close`. Use it in a `with` block.

    world_size   number of ranks
    start        "auto", "fork" or "spawn"; backend: "auto", "gloo" or "nccl"
    group        whether the ranks join a process group
    limits       what they may use of the machine

    Raises WorldError when the ranks can't be had, MachineryError when the machinery broke.
    """

    def __init__(
        self,
        world_size: int,
        *,
        start: str = "auto",
        backend: str = "auto",
        group: bool = True,
        limits: Limits = LEARNING,
    ) -> None:
        if os.name != "posix":
            raise WorldError(words.NOT_POSIX)
        check_world_size(world_size, start)
        self.world_size = world_size
        # What "free" means is settled now, so that a message later says the same number.
        self.limits = replace(limits, memory=limits.mapped)
        self._over = ""
        self._outer_pids: list[int] = []
        self.pids: list[int] = []
        self.start = self.backend = ""
        self._turn = 0
        self._closed = False
        self._folder = ""
        self._exits: dict[int, int] = {}
        self._stacks: dict[int, str] = {}
        self._gone: set[int] = set()
        self._broken: set[int] = set()
        self._selector = selectors.DefaultSelector()
        self._supervisor_process: subprocess.Popen[bytes] | None = None
        self._open()
        try:
            self._control.send(
                {
                    "world_size": world_size,
                    "start": start,
                    "backend": backend,
                    "group": group,
                    "limits": self.limits.to_json(),
                    "sys_path": sys.path,
                }
            )
            self._await_ready()
        except BaseException:
            self.close()
            raise

    def __enter__(self) -> Ranks:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _open(self) -> None:
        ours, theirs = socket.socketpair()
        descriptors, to_close = [theirs.fileno()], [theirs]
        self._control = Connection(ours)
        self._connections: list[Connection] = []
        self._pipes: list[int] = []
        self._outputs = [bytearray() for _ in range(self.world_size)]
        self._cut = [0] * self.world_size
        write_ends = []
        self._selector.register(ours, selectors.EVENT_READ, ("control", 0))
        for rank in range(self.world_size):
            mine, its = socket.socketpair()
            read_end, write_end = os.pipe()
            os.set_blocking(read_end, False)
            self._connections.append(Connection(mine))
            self._pipes.append(read_end)
            self._selector.register(mine, selectors.EVENT_READ, ("rank", rank))
            self._selector.register(read_end, selectors.EVENT_READ, ("output", rank))
            descriptors += [its.fileno(), write_end]
            to_close.append(its)
            write_ends.append(write_end)
        try:
            self._hand_over(descriptors)
        finally:
            for each in to_close:
                each.close()
            for end in write_ends:
                os.close(end)

    def _hand_over(self, descriptors: list[int]) -> None:
        if forking():
            HOST.send(descriptors)
            return
        self._supervisor_process = subprocess.Popen(
            [sys.executable, "-P", "-m", "ringlab.world.supervisor", *map(str, descriptors)],
            pass_fds=descriptors,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            env=rank_environment(),
        )

    def _await_ready(self) -> None:
        ready: set[int] = set()
        end = time.monotonic() + START_SECONDS
        while len(ready) < self.world_size or not self.pids:
            events = self._poll(end - time.monotonic())
            if time.monotonic() > end:
                raise MachineryError(words.NO_HOST.format(said=HOST.said()))
            for kind, rank, header, _ in events:
                if kind == "frame" and header.get("ready"):
                    ready.add(rank)
                elif kind in ("exited", "closed", "broke"):
                    said = self._text(rank) if kind == "exited" else HOST.said()
                    raise MachineryError(words.NO_HOST.format(said=said))

    def _poll(self, timeout: float) -> list[tuple[str, int, Header, bytes]]:
        """What has come in, as (kind, rank, header, payload).

        kind: "frame", "broke", "exited", "stacks", "over" or "closed".
        """
        events: list[tuple[str, int, Header, bytes]] = []
        for key, _ in self._selector.select(max(0.0, timeout)):
            kind, rank = key.data
            if kind == "output":
                self._drain(rank)
            elif kind == "rank":
                self._read_rank(rank, events)
            else:
                self._read_control(events)
        return events

    def _read_rank(self, rank: int, events: list[tuple[str, int, Header, bytes]]) -> None:
        try:
            for header, payload in self._connections[rank].available():
                events.append(("frame", rank, header, payload))
        except EOFError:
            self._selector.unregister(self._connections[rank].sock)
            self._gone.add(rank)
        except BadFrame:
            self._selector.unregister(self._connections[rank].sock)
            self._broken.add(rank)
            events.append(("broke", rank, {}, b""))

    def _read_control(self, events: list[tuple[str, int, Header, bytes]]) -> None:
        try:
            for header, _ in self._control.available():
                if "started" in header:
                    self.pids = header["pids"]
                    self.start, self.backend = header["start"], header["backend"]
                    self._folder = header["folder"]
                elif "exited" in header:
                    self._exits[header["exited"]] = header["code"]
                    events.append(("exited", header["exited"], header, b""))
                elif "over" in header:
                    self._over = str(header["over"])
                    events.append(("over", 0, header, b""))
                elif "stacks" in header:
                    self._stacks = {int(rank): text for rank, text in header["stacks"].items()}
                    events.append(("stacks", 0, header, b""))
                elif "error" in header:
                    raise WorldError(header["error"])
        except (EOFError, BadFrame):
            self._selector.unregister(self._control.sock)
            events.append(("closed", 0, {}, b""))

    def _drain(self, rank: int) -> None:
        try:
            data = os.read(self._pipes[rank], 1 << 16)
        except BlockingIOError:
            return
        if not data:
            self._selector.unregister(self._pipes[rank])
            return
        room = OUTPUT_LIMIT - len(self._outputs[rank])
        self._outputs[rank] += data[:room]
        self._cut[rank] += max(0, len(data) - max(0, room))

    def _text(self, rank: int) -> str:
        text = self._outputs[rank].decode(errors="replace")
        if self._cut[rank]:
            text += "\n" + words.OUTPUT_CUT.format(count=self._cut[rank]) + "\n"
        return text

    def turn(
        self,
        requests: list[tuple[Header, bytes]],
        timeout: float,
        *,
        detect_hang: bool = True,
    ) -> Turn:
        """Ask each rank for one thing and wait until all have answered, or it is clear they won't.

        requests[r] goes to rank r. timeout in seconds. With `detect_hang` the turn ends as soon as
        every unfinished rank waits for another and none has used the processor for a while.
        """
        self._turn += 1
        for each in self._outputs:
            each.clear()
        self._cut = [0] * self.world_size
        waiting = _Waiting(self, timeout, detect_hang)
        for rank, (header, payload) in enumerate(requests):
            try:
                self._connections[rank].send({**header, "turn": self._turn}, payload)
            except OSError:
                self._gone.add(rank)
        return waiting.finish()

    def seen_pid(self, rank: int) -> int:
        """The pid of a rank as this process sees it."""
        if not self._outer_pids:
            self._outer_pids = HOST.outer_pids(self.pids) if forking() else self.pids
        return self._outer_pids[rank]

    def ask_stacks(self) -> dict[int, str]:
        """Python stacks of the ranks that live."""
        self._stacks = {}
        try:
            self._control.send({"do": "stacks"})
        except OSError:
            return {}
        end = time.monotonic() + 2.0
        while not self._stacks and time.monotonic() < end:
            events = self._poll(end - time.monotonic())
            if any(kind in ("stacks", "closed") for kind, *_ in events):
                break
        return self._stacks

    def close(self) -> None:
        """End every process of the run and wait until its folder is gone."""
        if self._closed:
            return
        self._closed = True
        for connection in self._connections:
            connection.close()
        try:
            self._control.send({"do": "kill"})
            self._control.sock.settimeout(CLEAN_SECONDS)
            # The supervisor cleans up and ends; its end closes the socket.
            while self._control.receive() is not None:
                pass
        except (OSError, BadFrame):
            pass
        finally:
            self._control.close()
            self._remove_folder()
            for pipe in self._pipes:
                os.close(pipe)
            self._selector.close()
            if self._supervisor_process is not None:
                self._supervisor_process.wait(timeout=CLEAN_SECONDS)

    def _remove_folder(self) -> None:
        """The supervisor has done it, unless somebody killed it."""
        folder = Path(self._folder)
        # Nobody else may say what is removed here.
        if folder.name.startswith("ringlab-") and folder.parent == Path(tempfile.gettempdir()):
            shutil.rmtree(folder, ignore_errors=True)


class _Waiting:
    """The loop that waits for one turn's answers."""

    def __init__(self, ranks: Ranks, timeout: float, detect_hang: bool) -> None:
        self.ranks = ranks
        self.detect_hang = detect_hang
        self.begun = time.monotonic()
        self.deadline = self.begun + timeout
        self.outcomes = [Outcome() for _ in range(ranks.world_size)]
        self.records = [RankRecord(rank) for rank in range(ranks.world_size)]
        self.open = set(range(ranks.world_size))
        self.failed_at: float | None = None
        self.last_sign = self.begun
        self.used: float | None = None

    def finish(self) -> Turn:
        ended = self._loop()
        seconds = time.monotonic() - self.begun
        if ended in ("hung", "deadline"):
            for rank, text in self.ranks.ask_stacks().items():
                self.outcomes[rank].stack = text
        for rank in range(self.ranks.world_size):
            self._drain(rank)
        outputs = [self.ranks._text(rank) for rank in range(self.ranks.world_size)]
        ranks = self.ranks
        return Turn(self.outcomes, self.records, outputs, ended, seconds, ranks.limits, ranks._over)

    def _drain(self, rank: int) -> None:
        for _ in range(64):
            before = len(self.ranks._outputs[rank]), self.ranks._cut[rank]
            try:
                self.ranks._drain(rank)
            except (OSError, KeyError):
                return
            if (len(self.ranks._outputs[rank]), self.ranks._cut[rank]) == before:
                return

    def _loop(self) -> str:
        while self.open:
            now = time.monotonic()
            if now > self.deadline:
                return "failed" if self.failed_at is not None else "deadline"
            if self.failed_at is not None and now > self.failed_at + self._grace():
                return "failed"
            if self.detect_hang and self._is_hung(now):
                return "hung"
            wait = min(0.2, self.deadline - now)
            if self.failed_at is not None:
                wait = min(wait, FAILURE_GRACE_SECONDS / 10)
            events = self.ranks._poll(wait)
            self._take(events)
            self._see_the_dead()
            if events and all("r" in header for _, _, header, _ in events):
                # Reading every record at once would take the processor from the ranks.
                time.sleep(RECORDS_PAUSE_SECONDS)
        return "failed" if self.failed_at is not None else "returned"

    def _take(self, events: list[tuple[str, int, Header, bytes]]) -> None:
        for kind, rank, header, payload in events:
            if kind == "frame":
                self.last_sign, self.used = time.monotonic(), None
                self._frame(rank, header, payload)
            elif kind == "broke":
                self._end(rank, Outcome("broke"))
            elif kind == "over":
                for each in list(self.open):
                    self._end(each, Outcome("died", exit_code=-signal.SIGKILL))
            elif kind == "closed" and self.open:
                raise MachineryError(words.LOST.format(reason="the supervisor ended"))

    def _frame(self, rank: int, header: Header, payload: bytes) -> None:
        if rank not in self.open:
            return
        try:
            if "r" in header:
                record = self.records[rank]
                record.take(header, payload)
                if len(record.operations) > MOST_OPERATIONS:
                    text = words.TOO_MANY_OPERATIONS.format(most=MOST_OPERATIONS)
                    told = {"type": "RuntimeError", "message": text, "frames": []}
                    self._end(rank, Outcome("raised", told))
            elif header.get("turn") == self.ranks._turn and "end" in header:
                self._end(rank, Outcome(str(header["end"]), header, payload))
        except (KeyError, TypeError, ValueError):
            self._end(rank, Outcome("broke"))

    def _end(self, rank: int, outcome: Outcome) -> None:
        self.outcomes[rank] = outcome
        self.open.discard(rank)
        if outcome.kind != "returned" and self.failed_at is None:
            self.failed_at = time.monotonic()

    def _see_the_dead(self) -> None:
        for rank in list(self.open):
            if rank in self.ranks._broken:
                self._end(rank, Outcome("broke"))
            elif rank in self.ranks._exits and rank in self.ranks._gone:
                self._end(rank, Outcome("died", exit_code=self.ranks._exits[rank]))

    def _grace(self) -> float:
        """Seconds that the others may still speak after one has failed; few if all of them wait."""
        waiting = all(self.records[rank].waiting is not None for rank in self.open)
        return FAILURE_GRACE_SECONDS / 5 if waiting else FAILURE_GRACE_SECONDS

    def _is_hung(self, now: float) -> bool:
        if now - self.last_sign < QUIET_SECONDS / 4:
            return False
        if not all(self.records[rank].waiting is not None for rank in self.open):
            return False
        if self.used is None:
            self.used, self.quiet_since = self._processor_seconds(), now
            return False
        if now - self.quiet_since < 3 * QUIET_SECONDS / 4:
            return False
        used = self._processor_seconds()
        if used - self.used > 0.02:
            self.used, self.quiet_since = used, now
            return False
        return True

    def _processor_seconds(self) -> float:
        # Only of those that wait: one that has returned may still spin over a message it dropped.
        total = 0.0
        for rank in self.open:
            try:
                times = psutil.Process(self.ranks.seen_pid(rank)).cpu_times()
            except psutil.Error:
                continue
            total += times.user + times.system
        return total
