"""`banksman acp`: Banksman as an agent of the Agent Client Protocol, which an editor starts and speaks with on its
pipes. It joins the process that holds the chats; where there is none, it has an engine of its own."""

import argparse
import io
import json
import logging
import os
import socket
import sys
import threading
import time
from collections.abc import Sequence
from typing import NoReturn

from desktop.config.folders import Folders, product_folders
from desktop.config.instance import ACP_SOCKET, instance_folder
from desktop.domain.core.errors import StartError, StoreUnavailable
from desktop.loading import load
from desktop.store.core.lock import LOCK_NAME, holder_pid, is_held

JOIN_LIMIT_S, LOOK_EVERY_S = 5.0, 0.1
CHUNK = 65_536
MOST_GREETING = 4_096
EPILOG = """\
An editor starts this program; nothing is typed here. Its configuration:

Zed, in settings.json:
  "agent_servers": {"Banksman": {"type": "custom", "command": "banksman", "args": ["acp"]}}

JetBrains, in ~/.jetbrains/acp.json:
  {"agent_servers": {"Banksman": {"command": "banksman", "args": ["acp"]}}}

Neovim, in the setup of avante.nvim:
  provider = "banksman", acp_providers = {banksman = {command = "banksman", args = {"acp"}}}

Toad:
  toad acp "banksman acp"

A chat works in a lane of its own, whose folder its first message names. Add "--in-checkout" to the arguments to have
it work in the checkout itself.
"""
logger = logging.getLogger(__name__)


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """What is wrong in one sentence, without the usage before it."""
        raise StartError(f"{message}. Try banksman acp --help.")


def main(argv: Sequence[str]) -> int:
    """Exit status: 0 when the editor has gone.

    Raises:
        BanksmanError: it cannot start.
    """
    parser = _Parser(
        prog="banksman acp",
        description="Work as the agent of an editor that speaks the Agent Client Protocol.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--in-checkout", action="store_true", help="work in the checkout itself, not in a new lane")
    parser.add_argument("--settings", action="store_true", help="open the window with its Settings, to give a key")
    given = parser.parse_args(list(argv))
    if given.settings:
        return int(load("desktop.__main__").window_program().main(["--settings"]))
    writing = own_output()
    folders = product_folders()
    end = time.monotonic() + JOIN_LIMIT_S
    while True:
        if is_held(folders.store / LOCK_NAME):
            joined = _joined(folders, in_checkout=given.in_checkout)
            if joined is not None:
                return relay(joined, writing)
            if time.monotonic() > end:
                raise StartError(_held(folders))
            time.sleep(LOOK_EVERY_S)
            continue
        try:
            return int(load("desktop.cli.acp_engine").serve(writing, in_checkout=given.in_checkout))
        except StoreUnavailable:
            if time.monotonic() > end or not is_held(folders.store / LOCK_NAME):
                raise


def own_output() -> int:
    """A descriptor for the protocol alone: whatever else is printed goes to standard error, or to the log."""
    writing = os.dup(1)
    os.dup2(2, 1)
    sys.stdout = _Printed()
    return writing


class _Printed(io.TextIOBase):
    """Takes what a library prints."""

    def writable(self) -> bool:
        """It takes anything."""
        return True

    def write(self, text: str, /) -> int:
        """Put it in the log."""
        if text.strip():
            logger.warning("printed: %s", text.rstrip())
        return len(text)


def _held(folders: Folders) -> str:
    pid = holder_pid(folders.store / LOCK_NAME)
    who = f"process {pid}" if pid is not None else "another process"
    return f"The chats are in use ({who}), and no editor can join it. Close it, or wait until it has ended."


def _joined(folders: Folders, *, in_checkout: bool) -> socket.socket | None:
    """The connection to the process that holds the chats, None where it takes none.

    Raises:
        StartError: it refuses; says why.
    """
    joined: socket.socket | None = load("desktop.services.acp.door").knock(instance_folder(folders) / ACP_SOCKET)
    if joined is None:
        return None
    joined.sendall(json.dumps({"banksman": "join", "in_checkout": in_checkout}).encode() + b"\n")
    said = b""
    while not said.endswith(b"\n") and len(said) < MOST_GREETING and (more := joined.recv(1)):
        said += more
    try:
        answer = json.loads(said)
    except ValueError:
        joined.close()
        return None
    if answer.get("banksman") != "welcome":
        raise StartError(str(answer.get("why")))
    return joined


def relay(joined: socket.socket, writing: int) -> int:
    """Hand on what the editor sends, and what comes back, until one of them goes."""
    threading.Thread(target=_hand_on, args=(joined,), daemon=True).start()
    try:
        while data := joined.recv(CHUNK):
            while data:
                data = data[os.write(writing, data) :]
    except OSError:
        return 0
    finally:
        joined.close()
    return 0


def _hand_on(joined: socket.socket) -> None:
    try:
        while data := os.read(0, CHUNK):
            joined.sendall(data)
        joined.shutdown(socket.SHUT_WR)
    except OSError:
        return
