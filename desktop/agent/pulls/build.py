"""Everything about pull requests of lanes, made in one place."""

from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.parts import LaneParts
from desktop.agent.lanes.endings.remover import LaneRemover
from desktop.agent.lanes.maker import LaneMaker
from desktop.agent.pulls.actions import PullActions
from desktop.agent.pulls.as_lane import PullLaneDesk
from desktop.agent.pulls.book import PullBook
from desktop.agent.pulls.chat import PullParts
from desktop.agent.pulls.claims import PullClaims
from desktop.agent.pulls.create import PullCreateDesk
from desktop.agent.pulls.creator import PullCreator
from desktop.agent.pulls.desk import PullDesk
from desktop.agent.pulls.details import PullReadDesk
from desktop.agent.pulls.edits import PullEdits
from desktop.agent.pulls.fork import PullForkDesk
from desktop.agent.pulls.merger import PullMerger
from desktop.agent.pulls.orders import PullActionDesk
from desktop.agent.pulls.places import PullPlaces
from desktop.agent.reports.book import ReportBook


class PullDesks:
    """`book` knows how the request of each lane stands, `desk` shows it, `creator` opens one, `actions` and `edits` say
    and set things on it, `merger` merges it, `chats` lets agents work with theirs; `all` are to be given commands."""

    def __init__(self, parts: LaneParts, reports: ReportBook, maker: LaneMaker, remover: LaneRemover) -> None:
        self.book = PullBook(parts, PullPlaces(parts, parts.github))
        self.desk = PullDesk(parts, self.book, lambda: parts.settings.settings.pull_every_s)
        reports.lookup.pulls = PullClaims(parts, self.book)
        self.creator = PullCreator(parts, self.book, reports)
        self.actions = PullActions(parts, self.book, self.desk.ask)
        self.edits = PullEdits(parts, self.book, self.desk.ask)
        self.merger = PullMerger(parts, self.book, reports, remover, self.desk.ask)
        self.chats = PullParts(parts, self.book, self.creator, self.actions, self.desk.ask)
        self.all: tuple[CommandDesk, ...] = (
            self.desk,
            PullCreateDesk(parts, self.creator, self.desk),
            PullForkDesk(parts, self.book),
            PullActionDesk(parts, self.actions, self.edits),
            PullReadDesk(parts, self.book, self.merger),
            PullLaneDesk(parts, self.book, maker),
        )
