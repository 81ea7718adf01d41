"""The commands that bring the work of lanes together: rebases, conflicts, merging, and lanes shown in the checkout."""

from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.stacks.commands import StackCommands
from desktop.agent.lanes.stacks.conflicts import ConflictCommands
from desktop.agent.lanes.stacks.handover import HandoverCommands
from desktop.agent.lanes.stacks.merges import MergeCommands
from desktop.agent.lanes.stacks.runs import StackRuns
from desktop.config.folders import Folders


class Stacks:
    """`attendants` are told when a repository is opened; `runs` is what tools rebase with."""

    def __init__(self, base: LaneBase, sessions: Sessions, folders: Folders) -> None:
        ground, telling, acts, contents = base.ground, base.telling, base.acts, base.contents
        self.runs = StackRuns(ground, telling, acts, contents, sessions)
        stack = StackCommands(ground, telling.publish, self.runs)
        handover = HandoverCommands(ground, telling, acts, contents, folders)
        conflicts = ConflictCommands(ground, telling, acts, contents, self.runs)
        self.all = (stack, conflicts, MergeCommands(ground, telling, acts), handover)
        self.attendants = (stack, handover)
