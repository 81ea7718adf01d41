"""The desks that bring the work of lanes together: rebases, conflicts, merging, and lanes shown in the checkout."""

from desktop.agent.core.parts import LaneParts
from desktop.agent.lanes.stacks.conflicts import ConflictDesk
from desktop.agent.lanes.stacks.desk import StackDesk
from desktop.agent.lanes.stacks.handover import HandoverDesk
from desktop.agent.lanes.stacks.merges import MergeDesk
from desktop.agent.lanes.stacks.runs import StackRuns


class MergeDesks:
    """`attendants` are told when a repository is opened; `runs` is what tools rebase with."""

    def __init__(self, parts: LaneParts) -> None:
        self.runs = StackRuns(parts)
        stack, handover = StackDesk(parts, self.runs), HandoverDesk(parts)
        self.all = (stack, ConflictDesk(parts, self.runs), MergeDesk(parts), handover)
        self.attendants = (stack, handover)
