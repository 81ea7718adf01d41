"""ScreenPictures: pictures of the screen, taken by a window on request, held in memory until a person decided."""

import asyncio
from typing import Literal

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.domain.core.command import Command
from desktop.domain.core.ids import new_id
from desktop.domain.gate.pending import PictureReview
from desktop.domain.proofs import commands as c
from desktop.domain.proofs.updates import CaptureLoaded, CaptureRequested
from desktop.records import dataclass
from desktop.services.pictures.pictures import PictureProblem, cut_picture, look_at
from desktop.tools.proof_calls import Ask, CaptureBlocked, CaptureDeclined, WantedScreen

LIMIT_S = 15.0
THUMB_PX = 320
WAY_PAGE = "capture a page of this lane with target page"
WAY_FILE = "write a PNG with your own script and call attach_proof"
WAYS = (WAY_PAGE, WAY_FILE)
Target = Literal["window", "desktop"]


@dataclass(frozen=True)
class SentPicture:
    """What a person sent of a picture of the screen. `cropped`: a part of it, not all."""

    data: bytes
    cropped: bool
    scale: int
    screen: str


class ScreenPictures:
    """Engine thread only. `has_window`: this program has a window, which can look at the screen."""

    def __init__(self, publish: Publish, *, has_window: bool = True, limit_s: float = LIMIT_S) -> None:
        self._publish = publish
        self._has_window = has_window
        self._limit_s = limit_s
        self._waiting: dict[str, asyncio.Future[c.CaptureDone]] = {}
        self._held: dict[str, bytes] = {}

    def handlers(self) -> dict[type[Command], Handler]:
        """The window's answers and what it asks for."""
        return {c.CaptureDone: self._done, c.LoadCapture: self._load}

    async def sent(self, call_id: str, wanted: WantedScreen, ask: Ask) -> SentPicture:
        """Take the picture, show it to a person and give what they send of it. It is stored nowhere before that.

        Raises:
            CaptureBlocked: it cannot be taken, or shows nothing.
            CaptureDeclined: they did not send it.
        """
        taken = await self._take(wanted.target)
        try:
            found, _ = await look_at(taken.data, THUMB_PX)
        except PictureProblem as error:
            why = f"the picture of the screen is not usable: {error}"
            raise CaptureBlocked("blocked_by_capability", why, WAYS) from error
        if found.one_colour:
            why = "the picture of the screen has one colour only; the system does not let Banksman see it"
            raise CaptureBlocked("blocked_by_capability", why, WAYS)
        self._held[call_id] = taken.data
        try:
            request = PictureReview(
                call_id=call_id,
                target=wanted.target,
                title=wanted.title,
                width=found.width,
                height=found.height,
                scale=taken.scale,
                screen=taken.screen,
            )
            answer = await ask(request)
        finally:
            self._held.pop(call_id, None)
        if answer.outcome != "allow_once":
            raise CaptureDeclined(answer.note, stop_turn=answer.stop_turn)
        data = taken.data
        if answer.crop is not None or answer.blanks:
            _, data = await cut_picture(taken.data, answer.crop, answer.blanks)
        return SentPicture(data, answer.crop is not None, taken.scale, taken.screen)

    async def _take(self, target: Target) -> c.CaptureDone:
        if not self._has_window:
            raise CaptureBlocked("blocked_by_capability", "no window of Banksman is open", WAYS)
        request_id = new_id("cap_")
        future: asyncio.Future[c.CaptureDone] = asyncio.get_running_loop().create_future()
        self._waiting[request_id] = future
        self._publish(CaptureRequested(request_id=request_id, target=target, limit_s=self._limit_s))
        try:
            async with asyncio.timeout(self._limit_s):
                done = await future
        except TimeoutError as error:
            why = f"no window gave a picture within {self._limit_s:g} s"
            raise CaptureBlocked("blocked_by_capability", why, WAYS) from error
        finally:
            self._waiting.pop(request_id, None)
        if done.problem or not done.data:
            why = done.problem or "the picture was empty"
            raise CaptureBlocked("blocked_by_capability", why, (WAY_PAGE, *done.ways, WAY_FILE))
        return done

    async def _done(self, command: c.CaptureDone) -> None:
        waiting = self._waiting.get(command.request_id)
        if waiting is not None and not waiting.done():  # with several windows the first answer counts
            waiting.set_result(command)

    async def _load(self, command: c.LoadCapture) -> None:
        data = self._held.get(command.call_id, b"")
        self._publish(
            CaptureLoaded(call_id=command.call_id, input_id=command.input_id, data=data, command_id=command.command_id)
        )
