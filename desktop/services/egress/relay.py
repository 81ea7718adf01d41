"""Makes the proxy's port inside a sandbox and lends it to the proxy outside, then becomes the command's frame.

A program of its own, standard library only, as it starts within the sandbox. Arguments: `SOCKET COMMAND…`. The sandbox
has a network of its own with nothing in it; a listening socket made here stands in that network, wherever it is served.
So it is given to the proxy, which takes the connections itself: nothing is left running here, and nothing is copied
twice. What fails runs nothing.
"""

# pathlib would double the time that every command waits for this program to start.
import os
import signal
import socket
import sys

PORT = 3128
LEND, LENT = b"listen\n", b"ok\n"
BACKLOG = 64
LIMIT_S = 10.0
FAILED = 125
FAILED_WORDS = "banksman-frame failed: "


def main(arguments: list[str]) -> int:
    """Become the command; returns only when something failed."""
    try:
        place, *command = arguments
        lend(place)
        for number in (signal.SIGPIPE, signal.SIGXFSZ):  # this interpreter ignores them, and what it becomes would too
            signal.signal(number, signal.SIG_DFL)
        os.execv(command[0], command)  # noqa: S606
    except (OSError, ValueError, IndexError) as error:
        os.write(2, f"{FAILED_WORDS}the way to the network: {error}\n".encode("utf-8", "replace"))
    return FAILED


def lend(place: str) -> None:
    """Listen, and have the proxy at this place take what comes. Raises OSError."""
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as server:
        server.bind(("127.0.0.1", PORT))
        server.listen(BACKLOG)
        with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as proxy:
            proxy.settimeout(LIMIT_S)
            proxy.connect(place)
            socket.send_fds(proxy, [LEND], [server.fileno()])
            if proxy.recv(len(LENT)) != LENT:
                raise OSError("the proxy did not take it")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
