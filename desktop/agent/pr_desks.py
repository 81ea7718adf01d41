"""Everything about pull requests of lanes, made in one place."""

from desktop.agent.command_desk import CommandDesk
from desktop.agent.lane_maker import LaneMaker
from desktop.agent.lane_parts import LaneParts
from desktop.agent.lane_remover import LaneRemover
from desktop.agent.pr_action_desk import PullActionDesk
from desktop.agent.pr_actions import PullActions
from desktop.agent.pr_book import PullBook
from desktop.agent.pr_chat import PullParts
from desktop.agent.pr_claims import PullClaims
from desktop.agent.pr_create import PullCreator
from desktop.agent.pr_create_desk import PullCreateDesk
from desktop.agent.pr_desk import PullDesk
from desktop.agent.pr_edits import PullEdits
from desktop.agent.pr_fork import PullForkDesk
from desktop.agent.pr_lane_desk import PullLaneDesk
from desktop.agent.pr_merge import PullMerger
from desktop.agent.pr_places import PullPlaces
from desktop.agent.pr_read_desk import PullReadDesk
from desktop.agent.report_book import ReportBook


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
