"""`banksman mcp-bridge`: joins its standard input and output with the socket of one chat, by which the guest that works
there reaches the tools of Banksman (guests-A54).

A program of its own, standard library only: guests start it in their sandbox, as a server of theirs. It understands
nothing of what it passes on, and ends when either side does.
"""

# pathlib would double the time that this program takes to start.
import os
import socket
import sys
import threading

VARIABLE = "BANKSMAN_BRIDGE"
"""Names the socket."""
PIECE = 256 * 1024
FAILED = 1


def main(arguments: list[str]) -> int:
    """Pass on until an end; the exit status."""
    place = os.environ.get(VARIABLE, "")
    if not place or arguments:
        return _failed(f"it is started by an agent in a chat of Banksman, which names a socket in {VARIABLE}")
    try:
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as engine:
            engine.connect(place)
            threading.Thread(target=_take_in, args=(engine,), daemon=True).start()
            while piece := engine.recv(PIECE):
                _write(piece)
    except OSError as error:
        return _failed(f"the chat is not there any more: {error.strerror or error}")
    return 0


def _take_in(engine: socket.socket) -> None:
    """What the guest says; once it says no more, that is told."""
    try:
        while piece := os.read(0, PIECE):
            engine.sendall(piece)
        engine.shutdown(socket.SHUT_WR)
    except OSError:
        os._exit(FAILED)


def _write(piece: bytes) -> None:
    rest = memoryview(piece)
    while rest:
        rest = rest[os.write(1, rest) :]


def _failed(why: str) -> int:
    os.write(2, f"banksman mcp-bridge: {why}\n".encode("utf-8", "replace"))
    return FAILED


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
