"""The parts that keep proofs, in one place; and what tells the window when they or the lane's files changed."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from datetime import datetime, timedelta

from desktop.agent.core.offers import offer
from desktop.agent.core.session import Session
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase, LaneContents
from desktop.agent.proofs.adding import ProofAdding
from desktop.agent.proofs.chat import PageCapture, ProofSources, SessionProofs
from desktop.agent.proofs.commands import ProofCommands
from desktop.agent.proofs.intake import ProofIntake
from desktop.agent.proofs.list import ProofList, ProofOwners
from desktop.agent.proofs.posting import ProofPosting
from desktop.agent.proofs.published_pictures import ProofPictures
from desktop.agent.proofs.publisher import ProofPublisher
from desktop.agent.proofs.retention import ProofRetention
from desktop.agent.proofs.screen import ScreenPictures
from desktop.agent.proofs.texts import ProofTexts
from desktop.agent.proofs.windows import LaneWindows
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.edits import PullEdits
from desktop.agent.reports.book import ReportBook
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.listeners import Listeners
from desktop.domain.core.update import Update
from desktop.domain.lanes.updates import LaneStatusChanged
from desktop.domain.proofs.block import block_in
from desktop.domain.proofs.updates import ProofCapturing, ProofsChanged, ProofsRemoved
from desktop.domain.pulls.pull_request import PullSnapshot
from desktop.records import dataclass
from desktop.services.git.login import Login
from desktop.store.core.store import Store
from desktop.tools.proof_calls import ChatProofs

logger = logging.getLogger(__name__)

KEPT_FOR = timedelta(days=90)


class ProofKeeping:
    """What keeps proofs, for this theme and for requests, which name them. `changed` is told the lane of every new
    record; `texts` makes what a request says of them; `retention` removes those that nobody has any more."""

    def __init__(
        self,
        clock: Callable[[], datetime],
        contents: LaneContents,
        settings: SettingsKeeper,
        store: Store,
        retention: ProofRetention,
        reports: ReportBook,
    ) -> None:
        self.reports = reports
        self.retention = retention
        self.changed = Listeners[str]()
        self.intake = ProofIntake(clock, contents, settings, store.proofs, store.blobs, self.changed)
        self.texts = ProofTexts(self.intake, reports)


@dataclass(frozen=True)
class Requests:
    """The requests that proofs are posted to: how they stand, and what changes their text."""

    book: PullBook
    edits: PullEdits
    login: Login


class Proofs:
    """Told every update, because proofs on screen may be of other files then."""

    def __init__(
        self,
        base: LaneBase,
        chats: ChatWork,
        store: Store,
        keeping: ProofKeeping,
        here: Surroundings,
        requests: Requests,
    ) -> None:
        ground, publish, intake, texts = base.ground, base.telling.publish, keeping.intake, keeping.texts
        self._publish, self._clock, self._lanes = publish, base.clock, ground.lanes
        self._settings, self._removal, self._intake = chats.settings, store.proof_removal, intake
        pages = PageCapture(chats.settings, here.sandbox, intake, self._capturing)
        screens, windows = ScreenPictures(publish, has_window=here.has_window), LaneWindows(publish)
        owners = ProofOwners(ground, store.events, keeping.reports, requests.book)
        self._list = ProofList(ground, publish, base.clock, intake, owners, pages.browser)
        commands = ProofCommands(publish, base.acts.log, chats, intake, self._list)
        adding = ProofAdding(ground, publish, base.contents.files, here.folders, intake, pages)
        pictures = ProofPictures(base.acts.log, requests.login, store.blobs, intake.store)
        book, edits, tell = requests.book, requests.edits, self._list.tell
        publisher = ProofPublisher(publish, texts, pictures, book, edits, tell)
        posting = ProofPosting(intake, texts, book, edits, tell)
        self._sources = ProofSources(ground, intake, pages, screens, windows, posting)
        self._shown: set[str] = set()
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._again: set[str] = set()
        keeping.changed.add(self._changed)
        book.changed.append(self._looked)
        self.theme = Theme(
            "proofs",
            handlers_of(commands, adding, screens, windows, publisher, keeping.retention),
            offers=(offer(ChatProofs, self.for_chat),),
            saw=self.saw,
            attendants=(self,),
        )

    def for_chat(self, session: Session) -> ChatProofs | None:
        """What this chat's tools can do; None: pictures and proofs are switched off, or it has no lane."""
        if session.lane is None or not self._settings.current.computer_use:
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
        self._again.clear()
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    def _looked(self, before: PullSnapshot | None, after: PullSnapshot) -> None:
        """The text of a request may name other proofs now."""
        if after.lane_id in self._shown and _block(before) != _block(after):
            self._changed(after.lane_id)

    def _changed(self, lane_id: str) -> None:
        if lane_id in self._tasks:
            self._again.add(lane_id)  # what is told now was read before this
        else:
            self._begin(lane_id, self._tell(lane_id))

    def _begin(self, key: str, doing: Coroutine[None, None, None]) -> None:
        task = asyncio.create_task(doing, name="proofs")
        self._tasks[key] = task
        task.add_done_callback(lambda done: self._over(key, done))

    def _over(self, key: str, done: asyncio.Task[None]) -> None:
        self._tasks.pop(key, None)
        if key in self._again and not done.cancelled():
            self._again.discard(key)
            self._begin(key, self._tell(key))

    async def _tell(self, lane_id: str) -> None:
        try:
            await self._list.tell(lane_id)
        except BanksmanError as error:
            logger.info("The proofs of lane %s are not listed: %s", lane_id, error)

    def _capturing(self, lane_id: str, title: str) -> None:
        self._publish(ProofCapturing(lane_id=lane_id, title=title))

    async def _prune(self) -> None:
        now = self._clock()
        try:
            lanes = self._lanes
            self._removal.forget_gone_owners(lambda lane_id: lanes.get(lane_id) is not None, now + KEPT_FOR)
            await self._removal.remove_outlived(now)
        except BanksmanError:
            logger.exception("proofs could not be pruned")


def _block(found: PullSnapshot | None) -> str:
    return block_in(found.pull.body) if found is not None and found.pull is not None else ""
