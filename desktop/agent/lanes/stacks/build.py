"""The desks that bring the work of lanes together: rebases, conflicts, merging, and lanes shown in the checkout."""

from desktop.agent.core.sessions import Sessions
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.stacks.conflicts import ConflictDesk
from desktop.agent.lanes.stacks.desk import StackDesk
from desktop.agent.lanes.stacks.handover import HandoverDesk
from desktop.agent.lanes.stacks.merges import MergeDesk
from desktop.agent.lanes.stacks.runs import StackRuns
from desktop.config.folders import Folders


class MergeDesks:
    """`attendants` are told when a repository is opened; `runs` is what tools rebase with."""

    def __init__(self, base: LaneBase, sessions: Sessions, folders: Folders) -> None:
        ground, telling, acts, contents = base.ground, base.telling, base.acts, base.contents
        self.runs = StackRuns(ground, telling, acts, contents, sessions)
        stack = StackDesk(ground, telling.publish, self.runs)
        handover = HandoverDesk(ground, telling, acts, contents, folders)
        conflicts = ConflictDesk(ground, telling, acts, contents, self.runs)
        self.all = (stack, conflicts, MergeDesk(ground, telling, acts), handover)
        self.attendants = (stack, handover)
