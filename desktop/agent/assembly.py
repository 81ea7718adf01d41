"""The desks that work with lanes and reviews, in one place; each is a file of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from desktop.agent.changes.build import review_desks
from desktop.agent.changes.pusher import LanePusher
from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.ground import Ground, Telling
from desktop.agent.core.parts import LaneParts
from desktop.agent.gate.judge import CreateFor, RebaseFor
from desktop.agent.github.desk import GitHubDesk
from desktop.agent.lanes.base import LaneActs, LaneBase, LaneContents
from desktop.agent.lanes.chats import LaneChats
from desktop.agent.lanes.create import LaneCreateDesk
from desktop.agent.lanes.editor import EditorDesk
from desktop.agent.lanes.edits import LaneEditDesk
from desktop.agent.lanes.endings.recovery import LaneRecovery
from desktop.agent.lanes.endings.remove import LaneRemoveDesk
from desktop.agent.lanes.endings.remover import LaneRemover
from desktop.agent.lanes.endings.reviver import LaneReviver
from desktop.agent.lanes.endings.trash import LaneTrashDesk
from desktop.agent.lanes.folder import FilesOf
from desktop.agent.lanes.launches import LaunchDesk
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.lanes.ready.build import SetupDesks
from desktop.agent.lanes.repairs import LaneRepairDesk
from desktop.agent.lanes.stacks.auto_rebase import AutoRebase
from desktop.agent.lanes.stacks.build import MergeDesks
from desktop.agent.lanes.standing.status import StatusDesk
from desktop.agent.proofs.build import ProofDesks, ProofKeeping, Requests, Surroundings
from desktop.agent.proofs.retention import ProofRetention
from desktop.agent.pulls.build import PullDesks, PullNeeds, pull_book
from desktop.agent.pulls.claims import PullClaims
from desktop.agent.reports.book import ReportBook
from desktop.agent.reports.lookup import Lookup
from desktop.agent.reports.proofs import ProofClaims
from desktop.agent.rounds.build import ResolutionDesks
from desktop.agent.rounds.forge import RoundForge
from desktop.agent.terminals.desk import TerminalDesk
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.core.update import Update
from desktop.store.proofs.proofs import ProofStore


class Attendant(Protocol):
    """A part that works on its own while a repository is open."""

    def project_opened(self) -> None:
        """Another repository is open now, or the same one again. Returns at once."""

    async def close(self) -> None:
        """End what was begun; nothing of it runs afterwards."""


@dataclass(frozen=True)
class LaneDesks:
    """`all` of them; `list` tells the window which lanes there are; `attendants` work without being asked;
    `rebase` is what a tool rebases a chat's lane with, `create_lane` what it makes another one with; `saw` is told
    everything that the engine says; `reports` knows what agents reported, `pulls` how pull requests stand."""

    list: LaneList
    reports: ReportBook
    pulls: PullDesks
    resolution: ResolutionDesks
    all: tuple[CommandDesk, ...]
    attendants: tuple[Attendant, ...] = ()
    rebase: RebaseFor | None = None
    create_lane: CreateFor | None = None
    saw: Callable[[Update], None] = lambda update: None
    proofs: ProofDesks | None = None

    def project_opened(self) -> None:
        """Tell those that work on their own."""
        for one in self.attendants:
            one.project_opened()

    async def close(self) -> None:
        """End what works on its own."""
        for one in self.attendants:
            await one.close()


def lane_desks(parts: LaneParts, *, has_window: bool) -> LaneDesks:
    """Made in the order in which they need one another."""
    base = LaneBase(
        Ground(parts.lanes, parts.project),
        Telling(parts.publish, parts.listed),
        LaneActs(parts.log, parts.use),
        LaneContents(FilesOf(parts.folders), parts.keeper),
        parts.clock,
    )
    chats = ChatWork(parts.sessions, parts.turns, parts.settings, parts.starter)
    ground, publish, store = base.ground, parts.publish, parts.store
    pusher = LanePusher(ground, publish, base.acts, base.contents.files, parts.github.git_token)
    parts.use.add(parts.sessions)
    lane_list = LaneList(parts)
    maker = LaneMaker(parts.lanes, parts.clock, parts.listed, parts.github.git_token)
    launches = LaunchDesk(parts, maker)
    terminals = TerminalDesk(ground, publish, parts.use, parts.sessions, parts.settings)
    ready = SetupDesks(parts, lane_list)
    remover = LaneRemover(parts)
    reviver = LaneReviver(parts, remover)
    remover.teardown, reviver.revived = ready.setups.teardown, ready.setups.revived
    trash = LaneTrashDesk(parts, remover, reviver)
    retention = ProofRetention(parts.store, parts.publish)
    removing = LaneRemoveDesk(parts, remover, reviver, retention)
    repairing = LaneRepairDesk(parts, lane_list, LaneRecovery(parts, remover), trash)
    removing.look_again = repairing.look_again
    merging = MergeDesks(parts)
    book = pull_book(base, parts.github, store.database)
    claims = PullClaims(ground.lanes, base.clock, parts.github, book)
    lookup = Lookup(ProofClaims(ProofStore(store.database)), claims)
    status, reports = (
        StatusDesk(parts, repairing.look_again),
        ReportBook(ground, publish, base.contents, LaneChats(parts.sessions, store.events), store.database, lookup),
    )
    status.on_changed = reports.touch
    keeping = ProofKeeping(base, parts.settings, store, reports)
    pulls = PullDesks(base, chats, parts.github, PullNeeds(book, reports, maker, remover, pusher, keeping.texts))
    proofs = ProofDesks(
        base,
        chats,
        store,
        keeping,
        Surroundings(parts.folders, parts.sandbox, has_window),
        Requests(book, pulls.edits, parts.github.git_token),
    )
    resolution = ResolutionDesks(
        base, chats, store.database, book, RoundForge(ground, pusher, merging.runs, book, pulls.merger, pulls.aftermath)
    )

    by_itself = AutoRebase(parts, merging.runs, book)

    def saw(update: Update) -> None:
        status.saw(update)
        by_itself.saw(update)
        reports.saw(update)
        pulls.desk.saw(update)
        proofs.saw(update)
        resolution.rounds.saw(update)

    github = GitHubDesk(parts.github)
    return LaneDesks(
        lane_list,
        reports,
        pulls,
        resolution,
        (
            lane_list, *review_desks(base, chats, store, pusher), *ready.all, terminals, EditorDesk(parts), trash,
            removing, repairing,
            *merging.all, LaneCreateDesk(parts, maker), LaneEditDesk(parts), launches, status, github,
            *pulls.all, *proofs.all, retention, *resolution.all,
        ),
        (
            repairing, terminals, *ready.attendants, *merging.attendants, maker, launches, status, github, reports,
            proofs, pulls.desk, resolution.rounds, by_itself,
        ),
        merging.runs.for_chat,
        maker.for_chat,
        saw,
        proofs,
    )  # fmt: skip
