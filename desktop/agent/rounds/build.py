"""Everything about rounds of work on pull requests, made in one place."""

from desktop.agent.core.desk import CommandDesk
from desktop.agent.core.parts import LaneParts
from desktop.agent.gate.judge import Judge
from desktop.agent.lanes.stacks.runs import StackRuns
from desktop.agent.pulls.build import PullDesks
from desktop.agent.rounds.book import ResolutionBook
from desktop.agent.rounds.desk import ResolutionDesk
from desktop.agent.rounds.forge import RoundForge
from desktop.agent.rounds.launch import RoundLauncher
from desktop.agent.rounds.plan import ResolutionPlanner
from desktop.agent.rounds.rounds import ResolutionRounds
from desktop.agent.rounds.told import InventoryTeller


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
