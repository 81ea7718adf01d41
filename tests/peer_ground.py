"""A child process at the other end of a wire, without a sandbox, and an ear for what it sends."""

import asyncio
import os
from pathlib import Path

from pydantic import JsonValue

from desktop.services.acp.wire import LONGEST_MESSAGE, UNKNOWN_METHOD, WireError
from desktop.services.peers.child import PeerChild
from desktop.services.peers.ring import LogRing
from desktop.services.processes.sandbox.frame import Launch
from desktop.services.processes.sandbox.profile import bare_profile


async def bare_child(folder: Path, *words: str) -> PeerChild:
    """A program, started as it is, below `folder`; whoever starts it closes it."""
    temp = folder / "peer"
    temp.mkdir()
    errors = os.pipe()
    os.set_inheritable(errors[1], True)
    launch = Launch(words, dict(os.environ), bare_profile(folder, temp))
    child = PeerChild(
        launch, f"test.{os.getpid()}.{id(errors)}", LogRing(), temp, errors=errors, longest=LONGEST_MESSAGE
    )
    await child.begin(folder)
    return child


class Ear:
    """What the other side sent, in order. A request of `wait` is answered when `go` is set; `no` is unknown."""

    def __init__(self) -> None:
        self.heard: list[tuple[str, JsonValue]] = []
        self.bad: list[str] = []
        self.go = asyncio.Event()

    async def on_request(self, method: str, params: JsonValue) -> JsonValue:
        self.heard.append((method, params))
        if method == "wait":
            await self.go.wait()
        if method == "no":
            raise WireError(UNKNOWN_METHOD, "No such method.")
        if method == "broken":
            raise RuntimeError
        return {"you said": params}

    def on_notification(self, method: str, params: JsonValue) -> None:
        self.heard.append((method, params))

    def on_bad(self, line: str) -> None:
        self.bad.append(line)
