"""The parts that keep proofs, in one place; and what tells the window when they or the lane's files changed."""

import asyncio
import logging
from collections.abc import Coroutine
from datetime import timedelta

from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.parts import LaneParts
from desktop.agent.core.session import Session
from desktop.agent.proofs.chat import PageCapture, ProofSources, SessionProofs
from desktop.agent.proofs.desk import ProofDesk
from desktop.agent.proofs.intake import ProofIntake
from desktop.agent.proofs.posting import ProofPosting
from desktop.agent.proofs.publisher import ProofPublisher
from desktop.agent.proofs.screen import ScreenPictures
from desktop.agent.proofs.windows import LaneWindows
from desktop.agent.pulls.build import PullDesks
from desktop.agent.reports.book import ReportBook
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.update import Update
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.domain.proofs.updates import ProofCapturing, ProofsChanged, ProofsRemoved
from desktop.store.database import DATABASE_NAME
from desktop.store.proofs.removal import forget_gone_owners, remove_outlived
from desktop.tools.proof_calls import ChatProofs

logger = logging.getLogger(__name__)

KEPT_FOR = timedelta(days=90)


class ProofDesks:
    """`all` of the desks."""

    def __init__(self, parts: LaneParts, pulls: PullDesks, reports: ReportBook) -> None:
        self._parts = parts
        self.intake = ProofIntake(parts, self._changed)
        pages = PageCapture(parts, self.intake, self._capturing)
        self._screens = screens = ScreenPictures(parts.publish)
        windows = LaneWindows(parts.publish)
        self._desk = ProofDesk(parts, self.intake, pages, reports)
        publisher = ProofPublisher(parts, self.intake, pulls, reports, self._desk.tell)
        posting = ProofPosting(parts, self.intake, pulls, publisher, self._desk.tell)
        self._sources = ProofSources(parts, self.intake, pages, screens, windows, posting)
        pulls.creator.proof_block, pulls.creator.proofs_posted = publisher.block, publisher.posted
        self.all: tuple[CommandDesk, ...] = (self._desk, screens, windows, publisher)
        self._shown: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def has_window(self, there_is_one: bool) -> None:
        """Say whether a window of this program can take pictures of the screen; at first it is thought so."""
        self._screens.has_window = there_is_one

    def for_chat(self, session: Session) -> ChatProofs | None:
        """What this chat's tools can do; None: pictures and proofs are switched off, or it has no lane."""
        if session.lane is None or not self._parts.settings.settings.computer_use:
            return None
        return SessionProofs(self._sources, session, session.lane)

    def saw(self, update: Update) -> None:
        """A lane whose proofs are on screen may be another one now: compare again."""
        if isinstance(update, ProofsChanged):
            self._shown.add(update.lane_id)
        elif isinstance(update, ProofsRemoved):
            for lane_id in self._shown.intersection(update.lane_ids):
                self._changed(lane_id)
        elif isinstance(update, LaneStatusChanged):
            for status in update.statuses:
                if status.lane_id in self._shown and not status.problem:
                    self._changed(status.lane_id)

    def project_opened(self) -> None:
        """Remove what outlived its owners."""
        self._begin("", self._prune())

    async def close(self) -> None:
        """Nothing is told afterwards."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _changed(self, lane_id: str) -> None:
        if lane_id not in self._tasks:
            self._begin(lane_id, self._tell(lane_id))

    def _begin(self, key: str, doing: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(doing, name="proofs")
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._tasks.pop(key, None))

    async def _tell(self, lane_id: str) -> None:
        try:
            await self._desk.tell(lane_id)
        except BanksmanError as error:
            logger.info("The proofs of lane %s are not listed: %s", lane_id, error)

    def _capturing(self, lane_id: str, title: str) -> None:
        self._parts.publish(ProofCapturing(lane_id=lane_id, title=title))

    async def _prune(self) -> None:
        now = self._parts.clock()
        store, database = self.intake.store, self._parts.store.database
        try:
            lanes = self._parts.lanes
            forget_gone_owners(store, database, lambda lane_id: lanes.get(lane_id) is not None, now + KEPT_FOR)
            await remove_outlived(store, database, self._parts.store.folder / DATABASE_NAME, now)
        except BanksmanError:
            logger.exception("proofs could not be pruned")
