"""ReleaseKeeper: looks once a day for a newer version where the person wants it, and asks them once whether they do."""

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import desktop
from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.releases import ReleaseSource
from desktop.domain.core.command import Command
from desktop.domain.core.errors import BanksmanError, CommandError
from desktop.domain.core.update import Update
from desktop.domain.egress.values import Traffic
from desktop.domain.releases.commands import LookForReleases
from desktop.domain.releases.updates import ReleasesOffered, ReleasesStand
from desktop.domain.updates import SettingsChanged
from desktop.services.releases.seen import Seen, read_seen, write_seen

if TYPE_CHECKING:
    from desktop.services.web.client import Sent

EVERY = timedelta(days=1)
OFFERED_AT_START = 3
AGAIN_S = 3_600.0
"""How long it waits before it looks at the clock again, which goes on while the computer sleeps; and after a look for
which nobody was reached."""
logger = logging.getLogger(__name__)


class Looker(Protocol):
    """What asks."""

    async def look(self, seen: Seen, told: "Callable[[Sent], None]", /) -> Seen:
        """What is known after one request. Raises BanksmanError: it came to nothing."""


class ReleaseKeeper:
    """Engine thread only. `source` None: this build looks for nothing, and nothing is told of it. `file`: what was seen
    before. `outside`: makes what asks, for a source and the installed version, at the first need; and is told what went
    out."""

    def __init__(
        self,
        source: ReleaseSource | None,
        file: Path,
        settings: SettingsKeeper,
        publish: Publish,
        clock: Callable[[], datetime],
        outside: tuple[Callable[[ReleaseSource, str], Looker], Callable[[str, Traffic], None]],
    ) -> None:
        self._source, self._file = source, file
        self._settings, self._publish, self._clock = settings, publish, clock
        self._make, self._note = outside
        self._seen = Seen()
        self._problem = ""
        self._woken = asyncio.Event()
        self._daily: asyncio.Task[None] | None = None
        self._looking: asyncio.Task[None] | None = None

    def handlers(self) -> dict[type[Command], Handler]:
        """The command."""
        return {LookForReleases: self._on_look}

    def begin(self) -> None:
        """A window is there: this counts as a start."""
        if self._source is not None:
            self._daily = asyncio.create_task(self._run(self._source), name="newer versions")

    def saw(self, update: Update) -> None:
        """The settings changed: the person may have switched it on."""
        if isinstance(update, SettingsChanged):
            self._woken.set()

    async def close(self) -> None:
        """Ask nothing any more."""
        for task in (self._daily, self._looking):
            if task is not None:
                task.cancel()
                await asyncio.wait({task})

    async def _run(self, source: ReleaseSource) -> None:
        seen = await asyncio.to_thread(read_seen, self._file)
        offers = (
            seen.starts + 1 >= OFFERED_AT_START and not seen.offered and not self._settings.current.look_for_releases
        )
        counted = {"starts": min(seen.starts + 1, OFFERED_AT_START), "offered": seen.offered or offers}
        await self._keep(seen.model_copy(update=counted))
        self._tell(source)
        if offers:
            self._publish(ReleasesOffered())
        while True:
            self._woken.clear()
            if self._settings.current.look_for_releases and await self._is_due():
                await self._look(source)
            try:
                async with asyncio.timeout(AGAIN_S):
                    await self._woken.wait()
            except TimeoutError:
                continue

    async def _is_due(self) -> bool:
        """Whether a day has passed. A look that lies ahead, as the clock was put back, counts as one of now: nobody is
        asked twice a day, and none is waited for longer than a day."""
        now, last = self._clock(), self._seen.looked_at
        if last is not None and last > now:
            await self._keep(self._seen.model_copy(update={"looked_at": now}))
            return False
        return last is None or now - last >= EVERY

    async def _on_look(self, command: LookForReleases) -> None:
        if self._source is None:
            raise CommandError("releases", "This Banksman does not look for newer versions.")
        await self._look(self._source)
        self._tell(self._source, command.command_id)

    async def _look(self, source: ReleaseSource) -> None:
        """One at a time: who wants one while another is under way waits for that."""
        if self._looking is None or self._looking.done():
            self._looking = asyncio.create_task(self._look_once(source), name="look for newer versions")
        await asyncio.shield(self._looking)

    async def _look_once(self, source: ReleaseSource) -> None:
        """That somebody is asked is kept before; where nobody was reached, that is taken back."""
        before, reached = self._seen, False
        now = self._clock()

        def told(sent: "Sent") -> None:
            nonlocal reached
            reached = reached or bool(sent.ip)
            self._note("", sent.as_traffic("release"))

        await self._keep(before.model_copy(update={"looked_at": now}))
        logger.info("looking for a newer version at %s", urlsplit(source.address).hostname)
        try:
            looker = await asyncio.to_thread(self._make, source, desktop.__version__)
            found = await looker.look(self._seen, told)
            self._problem = ""
            await self._keep(found)
        except BanksmanError as error:
            self._problem = str(error)
            logger.info("no newer version could be looked for: %s", type(error).__name__)
            if not reached:
                await self._keep(before)
        self._tell(source)

    async def _keep(self, seen: Seen) -> None:
        """What cannot be written is known until the program ends."""
        self._seen = seen
        try:
            await asyncio.to_thread(write_seen, self._file, seen)
        except OSError as error:
            logger.warning("what was seen of newer versions cannot be kept: %s", error)

    def _tell(self, source: ReleaseSource, command_id: str = "") -> None:
        newest = self._seen.newest
        self._publish(
            ReleasesStand(
                command_id=command_id,
                host=urlsplit(source.address).netloc,
                page=source.page,
                looked_at=self._seen.looked_at,
                newer=newest if newest is not None and newest.is_above(desktop.__version__) else None,
                problem=self._problem,
            )
        )
