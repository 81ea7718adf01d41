"""The desks that bring the work of lanes together: rebases, conflicts, merging."""

from desktop.agent.conflict_desk import ConflictDesk
from desktop.agent.lane_parts import LaneParts
from desktop.agent.merge_desk import MergeDesk
from desktop.agent.stack_desk import StackDesk
from desktop.agent.stack_runs import StackRuns


class MergeDesks:
    """`stack` is told when a repository is opened; `runs` is what tools rebase with."""

    def __init__(self, parts: LaneParts) -> None:
        self.runs = StackRuns(parts)
        self.stack = StackDesk(parts, self.runs)
        self.all = (self.stack, ConflictDesk(parts, self.runs), MergeDesk(parts))
