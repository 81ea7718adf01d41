"""ReportBook: the reports of all chats with their verdicts for the files as they are now; told when files change."""

import asyncio
import logging
from collections.abc import Iterable
from dataclasses import replace

from desktop.agent.core.ground import Ground
from desktop.agent.core.session import Publish
from desktop.agent.lanes.base import LaneContents
from desktop.agent.lanes.chats import LaneChats
from desktop.agent.lanes.standing.causes import ALL, LaneCauses
from desktop.agent.reports.lookup import Lookup
from desktop.domain.core.errors import BanksmanError
from desktop.domain.core.update import Update
from desktop.domain.events import Envelope
from desktop.domain.proofs.updates import ProofsChanged
from desktop.domain.reports.events import ClaimChecked, CompletionReported, EvidenceRecorded
from desktop.domain.reports.updates import LaneReportsChanged, ReportsChanged
from desktop.domain.reports.values import EvidenceRow, ReportView, evidence_rows
from desktop.domain.reports.verdicts import Facts, as_checking, report_view
from desktop.domain.updates import SessionOpened
from desktop.services.history.tree_id import lane_tree_id
from desktop.store.core.evidence import EvidenceRows

logger = logging.getLogger(__name__)

SETTLE_S = 0.2
"""So long after a change verdicts are found, so that many changes in a row are one."""
MOST_REPORTS = 20
"""So many reports of a chat, the newest, are looked at again and again."""
_KEPT = ("evidence_recorded", "claim_checked", "completion_reported")
_TURNS_BACK = ("rewound", "imported")
_TELLING = frozenset((*_KEPT, *_TURNS_BACK, "checkpoint_made", "files_restored", "lane_attached"))


class ReportBook:
    """Engine thread. Lanes in which nothing was reported cost nothing. `lookup` finds what claims and artifacts name;
    `checking`: (session, report, place) of claims that are being checked."""

    def __init__(
        self,
        ground: Ground,
        publish: Publish,
        contents: LaneContents,
        chats: LaneChats,
        rows: EvidenceRows,
        lookup: Lookup,
    ) -> None:
        self._publish = publish
        self._ground = ground
        self._contents = contents
        self._chats = chats
        self._rows = rows
        self._lookup = lookup
        self.checking: set[tuple[str, str, int]] = set()
        self._known: dict[str, list[Envelope]] = {}
        self._lane_of: dict[str, str] = {}
        self._told: dict[str, ReportsChanged] = {}
        self._last: dict[str, ReportView] = {}
        self._told_last: tuple[tuple[str, ReportView], ...] = ()
        self._causes = LaneCauses(self._lane_of_open)
        self._due: set[str] = set()
        self._task: asyncio.Task[None] | None = None
        self._closed = False

    # For other parts

    async def of_lane(self, lane_id: str) -> ReportView | None:
        """The last report of a lane, with verdicts for its files as they are now; None: nothing was reported."""
        return await self._look(lane_id)

    def evidence(self, lane_id: str, tree: str) -> tuple[EvidenceRow, ...]:
        """The commands of the lane's last report, as they stand for files with this id. Looks at no file."""
        here = [one for one, lane in self._lane_of.items() if lane == lane_id]
        newest = [(session_id, *found) for session_id in here for found in self._reports(session_id)[-1:]]
        if not newest:
            return ()
        session_id, event, envelope = max(newest, key=lambda one: one[2].at)
        facts = self._facts(session_id, lane_id, tree)
        return evidence_rows(report_view(event, facts, session_id=session_id, at=envelope.at))

    async def of_session(self, session_id: str) -> tuple[ReportView, ...]:
        """The reports of a chat with their verdicts as they are now, oldest first."""
        lane_id = self._lane(session_id)
        return await self._views(session_id, lane_id, await self.tree(lane_id))

    def made_in(self, lane_id: str) -> list[tuple[CompletionReported, Envelope]]:
        """What chats of this lane reported themselves, oldest first in each chat. Looks at no file."""
        here = [session_id for session_id, lane in self._lane_of.items() if lane == lane_id]
        return [one for session_id in here for one in self._reports(session_id) if one[1].session_id == session_id]

    async def facts(self, session_id: str) -> Facts:
        """What is known now of the runs in a chat's lane."""
        lane_id = self._lane(session_id)
        return self._facts(session_id, lane_id, await self.tree(lane_id))

    async def tree(self, lane_id: str) -> str:
        """The id of a lane's files now, "" where it cannot be told."""
        lane = self._ground.lanes.get(lane_id) if lane_id else None
        if lane is None:
            return ""
        try:
            return await self._contents.keeper.work_in(lane, self._contents.files(lane), lane_tree_id)
        except (BanksmanError, OSError) as error:
            logger.info("the files of lane %s have no id: %s", lane_id, error)
            return ""

    def report(self, session_id: str, report_id: str) -> CompletionReported | None:
        """A report as it was recorded."""
        found = (event for event, _ in self._reports(session_id) if event.call_id == report_id)
        return next(found, None)

    def touch(self, *lane_ids: str) -> None:
        """Something changed that verdicts of these lanes depend on: find them anew."""
        reporting = set(self._lane_of.values())
        self._due |= {lane_id for lane_id in lane_ids if lane_id in reporting}
        if self._due and self._task is None and not self._closed:
            self._task = asyncio.create_task(self._find_due(), name="verdicts")
            self._task.add_done_callback(self._done)

    def checks(self, session_id: str, report_id: str, places: Iterable[int]) -> None:
        """These claims are being checked from now on; the window is told at once, however soon that is over."""
        wanted = {(report_id, place) for place in places}
        self.checking |= {(session_id, *one) for one in wanted}
        told = self._told.get(session_id)
        if told is not None:
            self._tell(told.model_copy(update={"reports": tuple(_checking(view, wanted) for view in told.reports)}))

    # As a part of the engine

    def project_opened(self) -> None:
        """Begin with the chats of this repository."""
        project = self._ground.the_project()
        reporting = self._rows.reporting()
        found = self._chats.events.rows(project.id)
        self._lane_of = {row.session_id: row.lane_id for row in found if row.session_id in reporting and row.lane_id}
        self._last, self._told_last = {}, ()
        self.touch(*self._lane_of.values())

    def saw(self, update: Update) -> None:
        """Whatever the engine says is shown to this book."""
        touched = set(self._causes.touched(update))
        if isinstance(update, Envelope):
            touched |= self._note(update)
        elif isinstance(update, SessionOpened) and update.first:
            self._told.pop(update.session_id, None)
            touched.add(self._lane_of.get(update.session_id, ""))
        elif isinstance(update, ProofsChanged):
            touched.add(update.lane_id)
        self.touch(*(self._lane_of.values() if touched & ALL else touched))

    async def close(self) -> None:
        """Find nothing any more."""
        self._closed = True
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)

    def _note(self, envelope: Envelope) -> set[str]:
        """Take in an event that was just recorded; the lanes whose verdicts it may change."""
        session_id = envelope.session_id
        if envelope.kind in _TURNS_BACK:
            self._known.pop(session_id, None)
        elif envelope.kind in _KEPT and session_id in self._known:
            self._known[session_id].append(envelope)
        moved = envelope.kind == "lane_attached" and session_id in self._lane_of
        if moved or envelope.kind == "completion_reported":
            self._lane_of[session_id] = self._lane_of_open(session_id)
        return {self._lane_of_open(session_id)} if envelope.kind in _TELLING else set()

    # Finding

    async def _find_due(self) -> None:
        await asyncio.sleep(SETTLE_S)
        while self._due:
            await self._look(self._due.pop())

    def _done(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("verdicts could not be found", exc_info=error)
        self.touch()

    async def _look(self, lane_id: str) -> ReportView | None:
        """Find the verdicts of a lane's chats, tell what changed, and give the lane's last report."""
        tree = await self.tree(lane_id)
        opened = {session.session_id for session in self._chats.sessions.opened()}
        last: ReportView | None = None
        for session_id in [one for one, lane in self._lane_of.items() if lane == lane_id]:
            views = await self._views(session_id, lane_id, tree)
            newest = views[-1] if views else None
            if newest is not None and (last is None or newest.at > last.at):
                last = newest
            if session_id in opened:
                self._tell(ReportsChanged(session_id=session_id, lane_id=lane_id, reports=views))
        self._last.pop(lane_id, None)
        if last is not None:
            self._last[lane_id] = last
        self._tell_last()
        return last

    async def _views(self, session_id: str, lane_id: str, tree: str) -> tuple[ReportView, ...]:
        reports = self._reports(session_id)[-MOST_REPORTS:]
        if not reports:
            return ()
        facts = self._facts(session_id, lane_id, tree)
        lane = self._ground.lanes.get(lane_id) if lane_id else None
        try:
            files = self._contents.files(lane) if lane is not None else None
        except BanksmanError:
            files = None
        facts = await self._lookup.complete(facts, lane_id, files, [event for event, _ in reports])
        facts = replace(facts, checking=self._checks_of(session_id))  # a check may have begun meanwhile
        newest = len(reports) - 1
        return tuple(
            report_view(event, facts, session_id=session_id, at=envelope.at, last=place == newest)
            for place, (event, envelope) in enumerate(reports)
        )

    def _facts(self, session_id: str, lane_id: str, tree: str) -> Facts:
        return Facts(
            tree=tree,
            record=[e for e in self._events(session_id) if isinstance(e, EvidenceRecorded | ClaimChecked)],
            earlier=self._runs_elsewhere(session_id, lane_id),
            checking=self._checks_of(session_id),
        )

    def _checks_of(self, session_id: str) -> frozenset[tuple[str, int]]:
        return frozenset((report, place) for session, report, place in self.checking if session == session_id)

    def _runs_elsewhere(self, session_id: str, lane_id: str) -> list[EvidenceRecorded]:
        """What ran in the lane's other chats, oldest first."""
        project = self._ground.project()
        rows = self._chats.events.rows(project.id) if project is not None and lane_id else []
        others = [row.session_id for row in rows if row.lane_id == lane_id and row.session_id != session_id]
        runs = [e for one in others for e in self._events(one) if isinstance(e, EvidenceRecorded)]
        return sorted(runs, key=lambda run: run.started_at)

    def _reports(self, session_id: str) -> list[tuple[CompletionReported, Envelope]]:
        kept = self._envelopes(session_id)
        return [(event, one) for one in kept if isinstance(event := one.event, CompletionReported)]

    def _events(self, session_id: str) -> Iterable[object]:
        return (envelope.event for envelope in self._envelopes(session_id))

    def _envelopes(self, session_id: str) -> list[Envelope]:
        if session_id not in self._known:
            self._known[session_id] = self._rows.on_path(session_id)
        return self._known[session_id]

    # Telling

    def _tell(self, update: ReportsChanged) -> None:
        if self._told.get(update.session_id) != update and not self._closed:
            self._told[update.session_id] = update
            self._publish(update)

    def _tell_last(self) -> None:
        now = tuple(sorted(self._last.items()))
        if now != self._told_last and not self._closed:
            self._told_last = now
            self._publish(LaneReportsChanged(reports=now))

    def _lane(self, session_id: str) -> str:
        return self._lane_of.get(session_id, "") or self._lane_of_open(session_id)

    def _lane_of_open(self, session_id: str) -> str:
        opened = self._chats.sessions.opened()
        return next((one.state.lane_id for one in opened if one.session_id == session_id), "")


def _checking(view: ReportView, wanted: set[tuple[str, int]]) -> ReportView:
    """The report while these claims, by report and place, are checked."""
    claims = enumerate(view.claims)
    told = tuple(as_checking(claim) if (view.report_id, place) in wanted else claim for place, claim in claims)
    return view.model_copy(update={"claims": told})
