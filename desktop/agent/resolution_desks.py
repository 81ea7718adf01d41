"""Everything about rounds of work on pull requests, made in one place."""

from desktop.agent.command_desk import CommandDesk
from desktop.agent.judge import Judge
from desktop.agent.lane_parts import LaneParts
from desktop.agent.pr_desks import PullDesks
from desktop.agent.resolution_book import ResolutionBook
from desktop.agent.resolution_desk import ResolutionDesk
from desktop.agent.resolution_forge import RoundForge
from desktop.agent.resolution_launch import RoundLauncher
from desktop.agent.resolution_plan import ResolutionPlanner
from desktop.agent.resolution_rounds import ResolutionRounds
from desktop.agent.resolution_told import InventoryTeller
from desktop.agent.stack_runs import StackRuns


class ResolutionDesks:
    """`book` knows items and rounds; `planner` makes prompts; `rounds` runs them; `teller` tells
    agents; `all` are to be given commands."""

    def __init__(self, parts: LaneParts, pulls: PullDesks, runs: StackRuns) -> None:
        self.book = ResolutionBook(parts, pulls.book)
        self.planner = ResolutionPlanner(parts, self.book)
        self.forge = RoundForge(parts, runs, pulls.book, pulls.merger)
        self.rounds = ResolutionRounds(parts, self.book, RoundLauncher(parts, self.book, self.planner), self.forge)
        self.teller = InventoryTeller(parts, self.book)
        self.all: tuple[CommandDesk, ...] = (ResolutionDesk(parts, self.book, self.planner, self.rounds),)

    def serve(self, judge: Judge) -> None:
        """Agents may ask for the inventory; what a resolver chat is offered is known before there is one."""
        judge.inventory = self.teller.for_chat
        self.planner.tools = judge.resolver_tools
