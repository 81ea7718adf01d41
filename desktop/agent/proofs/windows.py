"""LaneWindows: windows of programs on the screen: those of a lane for its agents, every one for a person."""

import asyncio
import os
from collections.abc import Callable, Mapping
from typing import TypeVar

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.domain.core.command import Command
from desktop.domain.proofs.commands import CaptureWindow, ListWindows
from desktop.domain.proofs.updates import ProgramWindow, WindowCaptured, WindowsListed
from desktop.services.proofs.type import ProofRefused
from desktop.services.proofs.x_windows import WindowPicture, WindowProblem, picture_of_window, windows_on_screen
from desktop.tools.untrusted import untrusted

LIMIT_S = 15.0
SLOW = f"the X server did not answer within {LIMIT_S:g} s"
DISPLAY = "DISPLAY"
T = TypeVar("T")


class LaneWindows:
    """Engine thread only. `env`: where the display is named."""

    def __init__(self, publish: Publish, env: Mapping[str, str] = os.environ) -> None:
        self._publish = publish
        self._env = env

    def handlers(self) -> dict[type[Command], Handler]:
        """A person chooses a window."""
        return {ListWindows: self._list, CaptureWindow: self._capture}

    async def of_lane(self, lane_id: str, name: str) -> tuple[WindowPicture, tuple[str, ...]] | None:
        """The topmost window of the lane's programs whose title holds `name`, and the titles of all of them, this one
        first. None: no picture can be made that is surely of the lane alone, so a person has to look at it first.

        Raises:
            ProofRefused: the lane has windows, but none of that name.
        """
        try:
            found = [one for one in await self._found() if one.lane_id == lane_id]
            wanted = [one for one in found if name.casefold() in one.title.casefold()]
            if found and not wanted:
                there = untrusted("windows", "\n".join(one.title for one in found))
                raise ProofRefused(f'No window of this lane has "{name}" in its title. There are: {there}')
            if not wanted:
                return None
            picture = await self._taken(wanted[0].window_id)
        except WindowProblem:
            return None
        if picture.window.lane_id != lane_id or not picture.alone:
            return None
        return picture, tuple(one.title for one in [wanted[0], *(one for one in found if one is not wanted[0])])

    async def _list(self, command: ListWindows) -> None:
        try:
            listed = WindowsListed(command_id=command.command_id, windows=await self._found())
        except WindowProblem as problem:
            listed = WindowsListed(command_id=command.command_id, problem=str(problem))
        self._publish(listed)

    async def _capture(self, command: CaptureWindow) -> None:
        try:
            taken = await self._taken(command.window_id)
            told = WindowCaptured(
                command_id=command.command_id, title=taken.window.title, data=taken.png, alone=taken.alone
            )
        except WindowProblem as problem:
            told = WindowCaptured(command_id=command.command_id, problem=str(problem))
        self._publish(told)

    async def _found(self) -> tuple[ProgramWindow, ...]:
        return await _in_time(lambda: windows_on_screen(self._env.get(DISPLAY, "")))

    async def _taken(self, window_id: int) -> WindowPicture:
        return await _in_time(lambda: picture_of_window(self._env.get(DISPLAY, ""), window_id))


async def _in_time(look: Callable[[], T]) -> T:
    try:
        async with asyncio.timeout(LIMIT_S):
            return await asyncio.to_thread(look)
    except TimeoutError as error:
        raise WindowProblem(SLOW) from error
