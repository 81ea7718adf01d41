"""What works with lanes and reviews, in one place; each part is a file of its own."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from desktop.agent.changes.build import review_commands
from desktop.agent.changes.pusher import LanePusher
from desktop.agent.core.commands import Commands
from desktop.agent.core.surroundings import Surroundings
from desktop.agent.gate.offers import Offers
from desktop.agent.github.access import GitHubAccess
from desktop.agent.github.commands import GitHubCommands
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.chats import LaneChats
from desktop.agent.lanes.create import LaneCreate
from desktop.agent.lanes.editor import EditorCommands
from desktop.agent.lanes.edits import LaneEdit
from desktop.agent.lanes.endings.recovery import LaneRecovery
from desktop.agent.lanes.endings.remove import LaneLosses, LaneRemove
from desktop.agent.lanes.endings.remover import LaneRemover
from desktop.agent.lanes.endings.reviver import LaneReviver
from desktop.agent.lanes.endings.snapshots import LaneSnapshots
from desktop.agent.lanes.endings.trash import TrashCommands
from desktop.agent.lanes.launches import LaunchCommands
from desktop.agent.lanes.list import LaneList
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.lanes.ready.build import LanesReady
from desktop.agent.lanes.ready.lane_file import LaneFileReader
from desktop.agent.lanes.ready.setup_record import SetupsKept
from desktop.agent.lanes.repairs import LaneRepairs
from desktop.agent.lanes.stacks.auto_rebase import AutoRebase
from desktop.agent.lanes.stacks.build import Stacks
from desktop.agent.lanes.stacks.runs import StackRuns
from desktop.agent.lanes.standing.status import StatusCommands
from desktop.agent.proofs.build import ProofKeeping, Proofs, Requests
from desktop.agent.proofs.retention import ProofRetention
from desktop.agent.pulls.build import PullNeeds, Pulls, pull_book
from desktop.agent.pulls.claims import PullClaims
from desktop.agent.reports.book import ReportBook
from desktop.agent.reports.lookup import Lookup
from desktop.agent.reports.proofs import ProofClaims
from desktop.agent.rounds.build import Rounds
from desktop.agent.rounds.forge import RoundForge
from desktop.agent.rounds.plan import ToolNames
from desktop.agent.terminals.commands import TerminalCommands
from desktop.agent.turns.chat_work import ChatWork
from desktop.domain.core.update import Update
from desktop.store.core.store import Store
from desktop.tools.inventory_calls import Inventory
from desktop.tools.proof_calls import ChatProofs
from desktop.tools.pull_calls import ChatPulls
from desktop.tools.tool import MakeLane, Rebase


class Attendant(Protocol):
    """A part that works on its own while a repository is open."""

    def project_opened(self) -> None:
        """Another repository is open now, or the same one again. Returns at once."""

    async def close(self) -> None:
        """End what was begun; nothing of it runs afterwards."""


@dataclass(frozen=True)
class LaneThemes:
    """`all` of them; `list` tells the window which lanes there are; `attendants` work without being asked;
    `runs` rebases lanes and `maker` makes them; `saw` is told
    everything that the engine says; `reports` knows what agents reported, `pulls` how pull requests stand."""

    list: LaneList
    reports: ReportBook
    pulls: Pulls
    resolution: Rounds
    all: tuple[Commands, ...]
    attendants: tuple[Attendant, ...]
    runs: StackRuns
    maker: LaneMaker
    proofs: Proofs
    saw: Callable[[Update], None]

    def project_opened(self) -> None:
        """Tell those that work on their own."""
        for one in self.attendants:
            one.project_opened()

    async def close(self) -> None:
        """End what works on its own."""
        for one in self.attendants:
            await one.close()

    def offer_to(self, offers: Offers) -> None:
        """Give what the tools of chats can use of these themes."""
        offers.give(Rebase, lambda session: partial(self.runs.for_chat, session))
        offers.give(MakeLane, lambda session: partial(self.maker.for_chat, session))
        offers.give(ChatPulls, self.pulls.chats.for_chat)
        offers.give(ChatProofs, self.proofs.for_chat)
        offers.give(Inventory, lambda session: partial(self.resolution.teller.for_chat, session))


@dataclass(frozen=True)
class LaneNeeds:
    """What the engine made of other themes before: `lane_file` reads the lane files of repositories, `resolver_tools`
    are the tools that a resolver chat of a mode is offered."""

    github: GitHubAccess
    lane_file: LaneFileReader
    resolver_tools: ToolNames


def lane_themes(base: LaneBase, chats: ChatWork, store: Store, here: Surroundings, needs: LaneNeeds) -> LaneThemes:
    """Made in the order in which they need one another."""
    ground, telling, acts, contents, clock = base.ground, base.telling, base.acts, base.contents, base.clock
    github = needs.github
    publish, sessions, settings, login = telling.publish, chats.sessions, chats.settings, github.git_token
    acts.use.add(sessions)
    lane_list = LaneList(ground, telling)
    maker = LaneMaker(ground.lanes, clock, telling.listed, login)
    launches = LaunchCommands(ground, telling, acts.log, sessions, chats.starter, maker)
    terminals = TerminalCommands(ground, publish, acts.use, sessions, settings)
    ready = LanesReady(base, needs.lane_file, sessions, chats.turns, SetupsKept(store, settings), lane_list)
    snapshots = LaneSnapshots(here.folders.data / "trash" / "lanes", clock)
    remover = LaneRemover(ground.lanes, acts, contents, snapshots, login, ready.setups.teardown)
    reviver = LaneReviver(ground, acts, sessions, snapshots, ready.setups.revived)
    reviews, requests = store.reviews, store.pulls

    def forget(lane_id: str) -> None:
        reviews.forget(lane_id)
        requests.forget(lane_id)

    trash = TrashCommands(ground, telling, acts, snapshots, reviver, forget)
    recovery = LaneRecovery(ground, telling.listed, acts, remover, snapshots)
    repairing = LaneRepairs(ground, acts, sessions, lane_list, recovery, trash)
    retention = ProofRetention(store, publish)
    losses = LaneLosses(ground, acts.use, retention)
    removing = LaneRemove(ground, telling, losses, remover, reviver, repairing.look_again)
    merging = Stacks(base, sessions, here.folders)
    pusher = LanePusher(ground, publish, acts, contents.files, login)
    book = pull_book(base, github, store.pulls)
    claims = PullClaims(ground.lanes, clock, github, book)
    lookup = Lookup(ProofClaims(store.proofs), claims)
    status = StatusCommands(ground, publish, clock, sessions, repairing.look_again)
    lane_chats = LaneChats(sessions, store.events)
    reports = ReportBook(ground, publish, contents, lane_chats, store.evidence, lookup)
    status.changed.add(reports.touch)
    keeping = ProofKeeping(clock, contents, settings, store, reports)
    pulls = Pulls(base, chats, github, PullNeeds(book, reports, maker, remover, pusher, keeping.texts))
    proofs = Proofs(base, chats, store, keeping, here, Requests(book, pulls.edits, login))
    forge = RoundForge(ground, pusher, merging.runs, book, pulls.merger, pulls.aftermath)
    resolution = Rounds(base, chats, store.resolutions, book, forge, needs.resolver_tools)
    by_itself = AutoRebase(ground.lanes, acts.use, settings, merging.runs, book.is_open)

    def saw(update: Update) -> None:
        status.saw(update)
        by_itself.saw(update)
        reports.saw(update)
        pulls.commands.saw(update)
        proofs.saw(update)
        resolution.rounds.saw(update)

    hosts = GitHubCommands(github)
    creating = LaneCreate(ground, telling, acts.log, settings, maker)
    editing = LaneEdit(ground, telling, acts, clock, settings)
    editor = EditorCommands(ground, sessions, settings)
    return LaneThemes(
        lane_list,
        reports,
        pulls,
        resolution,
        (
            lane_list,
            *review_commands(base, chats, store, pusher),
            *ready.all,
            terminals,
            editor,
            trash,
            removing,
            repairing,
            *merging.all,
            creating,
            editing,
            launches,
            status,
            hosts,
            *pulls.all,
            *proofs.all,
            retention,
            *resolution.all,
        ),
        (
            repairing,
            terminals,
            *ready.attendants,
            *merging.attendants,
            maker,
            launches,
            status,
            hosts,
            reports,
            proofs,
            pulls.commands,
            resolution.rounds,
            by_itself,
        ),
        merging.runs,
        maker,
        proofs,
        saw,
    )
