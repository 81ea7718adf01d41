"""Everything about pull requests of lanes, made in one place."""

from desktop.agent.changes.pusher import LanePusher
from desktop.agent.core.offers import offer
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.github.access import GitHubAccess
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.endings.remover import LaneRemover
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.pulls.actions import PullActions
from desktop.agent.pulls.as_lane import PullAsLane
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.chat import PullOrders, PullParts
from desktop.agent.pulls.commands import PullCommands
from desktop.agent.pulls.create import PullCreate, PullWords
from desktop.agent.pulls.creator import NamedProofs, PullCreator
from desktop.agent.pulls.details import PullDetails
from desktop.agent.pulls.edits import PullEdits
from desktop.agent.pulls.fork import PullFork
from desktop.agent.pulls.merger import MergeAftermath, PullMerger
from desktop.agent.pulls.orders import PullOrderCommands
from desktop.agent.pulls.places import PullPlaces
from desktop.agent.pulls.recovery import PullRecovery
from desktop.agent.reports.book import ReportBook
from desktop.agent.turns.chat_work import ChatWork
from desktop.records import dataclass
from desktop.store.core.pulls import PullStore
from desktop.tools.offers import GitHubPulls, OpenPull
from desktop.tools.pull_calls import ChatPulls


def pull_book(base: LaneBase, github: GitHubAccess, store: PullStore) -> PullBook:
    """What knows how the request of each lane stands; other themes ask it before there is anything else of this."""
    places = PullPlaces(base.ground, github.settings, github)
    return PullBook(base.ground, base.telling.listed, base.clock, store, places)


@dataclass(frozen=True)
class PullNeeds:
    """What of other themes works on requests: `maker` makes lanes of them, `pusher` pushes their branches, `remover`
    archives the lane of one that was merged, `reports` says what agents claim, `proofs` what a request says
    of proofs."""

    book: PullBook
    reports: ReportBook
    maker: LaneMaker
    remover: LaneRemover
    pusher: LanePusher
    proofs: NamedProofs


class Pulls:
    """`book` knows how requests stand, `commands` shows it, `creator` opens one, `actions` and `edits` say and set
    things on it, `merger` merges it and `aftermath` follows, `chats` lets agents work with theirs."""

    def __init__(self, base: LaneBase, chats: ChatWork, github: GitHubAccess, needs: PullNeeds) -> None:
        ground, telling, log, book = base.ground, base.telling, base.acts.log, needs.book
        self.book = book
        publish, login, settings = telling.publish, github.git_token, chats.settings
        files_of = base.contents.files
        self.commands = PullCommands(
            ground, publish, base.clock, book, PullRecovery(log, book), lambda: settings.current.pull_every_s
        )
        done = self.commands.ask
        self.creator = PullCreator(log, files_of, needs.pusher, book, needs.reports, needs.proofs)
        self.actions, self.edits = PullActions(log, book, done), PullEdits(ground, log, book, done)
        self.aftermath = MergeAftermath(ground, telling.listed, base.acts.use, login, needs.remover)
        self.merger = PullMerger(log, book, needs.reports, self.aftermath, done)
        orders = PullOrders(needs.pusher, self.creator, self.actions, telling.listed, done)
        self.chats = PullParts(book, github, files_of, orders)
        words = PullWords(ground.lanes, files_of, github, chats)
        self.theme = Theme(
            "pulls",
            handlers_of(
                self.commands,
                PullCreate(ground, telling, words, self.creator, done),
                PullFork(ground, publish, base.acts, login, book),
                PullOrderCommands(publish, self.actions, self.edits),
                PullDetails(ground, publish, settings, book, self.merger),
                PullAsLane(ground, telling, log, login, book, needs.maker),
            ),
            offers=(
                offer(ChatPulls, self.chats.for_chat),
                offer(GitHubPulls, self.chats.connected),
                offer(OpenPull, self.chats.with_request),
            ),
            saw=self.commands.saw,
            attendants=(self.commands,),
        )
