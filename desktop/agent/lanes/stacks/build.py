"""Bringing the work of lanes together as a theme: rebases, conflicts, merging, lanes shown in the checkout."""

from functools import partial

from desktop.agent.core.offers import offer
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.stacks.auto_rebase import AutoRebase
from desktop.agent.lanes.stacks.commands import StackCommands
from desktop.agent.lanes.stacks.conflicts import ConflictCommands
from desktop.agent.lanes.stacks.handover import HandoverCommands
from desktop.agent.lanes.stacks.merges import MergeCommands
from desktop.agent.lanes.stacks.runs import StackRuns
from desktop.config.folders import Folders
from desktop.tools.tool import Rebase


class Stacks:
    """`runs` rebases lanes, for tools too."""

    def __init__(self, base: LaneBase, sessions: Sessions, folders: Folders) -> None:
        ground, telling, acts, contents = base.ground, base.telling, base.acts, base.contents
        self.runs = StackRuns(ground, telling, acts, contents, sessions)
        stack = StackCommands(ground, telling.publish, self.runs)
        handover = HandoverCommands(ground, telling, acts, contents, folders)
        conflicts = ConflictCommands(ground, telling, acts, contents, self.runs)
        self.theme = Theme(
            "stacks of lanes",
            handlers_of(stack, conflicts, MergeCommands(ground, telling, acts), handover),
            offers=(offer(Rebase, lambda session: partial(self.runs.for_chat, session)),),
            attendants=(stack, handover),
        )


def rebasing_theme(rebasing: AutoRebase) -> Theme:
    """Lanes that are rebased by themselves when their base moves."""
    return Theme("lanes rebased by themselves", saw=rebasing.saw, attendants=(rebasing,))
