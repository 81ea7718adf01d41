"""Ports of lanes: whether a block is free, who listens on a port, and what answers."""

import contextlib
import errno
import socket
import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from desktop.late import late
from desktop.records import dataclass
from desktop.services.processes.programs import program_of

if TYPE_CHECKING:
    import psutil

_LOCAL = ((socket.AF_INET, "127.0.0.1"), (socket.AF_INET, "0.0.0.0"), (socket.AF_INET6, "::1"))  # noqa: S104
_NO_SUCH_ADDRESS = {errno.EADDRNOTAVAIL, errno.EAFNOSUPPORT}
_LOOKS, _LOOK_S = 3, 0.01


@dataclass(frozen=True)
class Listener:
    """Something that listens on a port of this computer. `program`: its name and pid, "" when it cannot be told (it
    belongs to somebody else). `lane_id`: the lane it was started in, "" for none."""

    port: int
    program: str = ""
    lane_id: str = ""


def is_block_free(base: int, count: int) -> bool:
    """Whether nothing has a port of this block. Blocking (about a millisecond)."""
    return all(_is_free(port) for port in range(base, base + count))


def _is_free(port: int) -> bool:
    for family, address in _LOCAL:
        try:
            with socket.socket(family, socket.SOCK_STREAM) as tried:
                tried.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                tried.bind((address, port))
        except OSError as error:
            if error.errno not in _NO_SUCH_ADDRESS:
                return False
    return True


def listeners(ports: Iterable[int]) -> dict[int, Listener]:
    """The processes that listen on these ports, by port; of several on one, one of a lane first. Blocking (some
    milliseconds)."""
    wanted = frozenset(ports)
    busy = {port for port in wanted if not _is_free(port)}
    found = {port: Listener(port) for port in busy}
    unsure = busy
    for look in range(_LOOKS):
        if not unsure:
            break
        if look:
            time.sleep(_LOOK_S)
        with contextlib.suppress(late("psutil").Error, OSError):
            unsure = _named(unsure, found)
    for port in unsure:
        found[port] = _searched(port)
    return found


def _searched(port: int) -> Listener:
    """What listens on a port of which only processes that had just ended were named: every process is asked."""
    for pid in late("psutil").pids():
        opener = _opener(pid, port)
        if opener is not None:
            program = program_of(opener)
            return Listener(port, program.label, program.lane_id)
    return Listener(port)


def _named(ports: set[int], found: dict[int, Listener]) -> set[int]:
    """Enter what listens on these ports. Returns those whose process let go of the port while it was looked at."""
    gone = set()
    for connection in late("psutil").net_connections(kind="tcp"):
        port = connection.laddr.port if connection.laddr else 0
        if port not in ports or connection.status != late("psutil").CONN_LISTEN or connection.pid is None:
            continue
        pid = _opener(connection.pid, port)
        if pid is None:
            gone.add(port)
            continue
        program = program_of(pid)
        told = Listener(port, program.label, program.lane_id)
        if not found[port].program or told.lane_id:
            found[port] = told
    return {port for port in gone if not found[port].program}


def _opener(pid: int, port: int) -> int | None:
    """The process that opened this port: of this one and those it was started by, the first. A process that is just
    being started holds all that its parent has open, until its own program is loaded, and the system may name it as
    the one that listens. None: it does not hold the port any more."""
    opener: int | None = None
    with contextlib.suppress(late("psutil").Error, OSError):
        process: psutil.Process | None = late("psutil").Process(pid)
        while process is not None and _listens(process, port):
            opener, process = process.pid, process.parent()
    return opener


def _listens(process: "psutil.Process", port: int) -> bool:
    listening = late("psutil").CONN_LISTEN
    connections = process.net_connections(kind="tcp")
    return any(one.status == listening and one.laddr and one.laddr.port == port for one in connections)


def addresses_of(lane_id: str, found: dict[int, Listener]) -> tuple[str, ...]:
    """The addresses for a browser at which processes of this lane listen on its ports."""
    return tuple(f"http://127.0.0.1:{port}" for port, one in sorted(found.items()) if one.lane_id == lane_id)


def port_problem(lane_id: str, found: dict[int, Listener]) -> str:
    """A sentence about ports of this lane that are in use while no process of the lane listens there, "" for none."""
    foreign = [one for _, one in sorted(found.items()) if one.lane_id != lane_id]
    if not foreign:
        return ""
    one = foreign[0]
    more = f" So are {len(foreign) - 1} more of this lane." if len(foreign) > 1 else ""
    return f"Port {one.port} is used by {one.program or 'another program'}.{more}"
