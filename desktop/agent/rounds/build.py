"""Rounds of work on pull requests as a theme."""

from functools import partial

from desktop.agent.core.offers import offer
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.lanes.base import LaneBase
from desktop.agent.pulls.book import PullBook
from desktop.agent.rounds.book import ResolutionBook
from desktop.agent.rounds.commands import RoundCommands
from desktop.agent.rounds.forge import RoundForge
from desktop.agent.rounds.launch import RoundLauncher
from desktop.agent.rounds.plan import ResolutionPlanner, ToolNames
from desktop.agent.rounds.rounds import ResolutionRounds
from desktop.agent.rounds.told import InventoryTeller
from desktop.agent.turns.chat_work import ChatWork
from desktop.store.core.rounds import ResolutionStore
from desktop.tools.inventory_calls import Inventory


class Rounds:
    """`book` knows items and rounds; `planner` makes prompts; `rounds` runs them; `teller` tells agents.

    `tools`: those that a resolver chat of a mode is offered."""

    def __init__(
        self,
        base: LaneBase,
        chats: ChatWork,
        store: ResolutionStore,
        pulls: PullBook,
        forge: RoundForge,
        tools: ToolNames,
    ) -> None:
        ground, publish, clock, log = base.ground, base.telling.publish, base.clock, base.acts.log
        self.book = ResolutionBook(ground, publish, clock, store, pulls)
        self.planner = ResolutionPlanner(ground, chats.starter, self.book, tools)
        launcher = RoundLauncher(log, clock, chats, self.book, self.planner)
        self.rounds = ResolutionRounds(ground, clock, chats, self.book, launcher, forge)
        self.teller = InventoryTeller(ground, self.book)
        commands = RoundCommands(ground, publish, log, self.book, self.planner, self.rounds)
        self.theme = Theme(
            "rounds",
            handlers_of(commands),
            offers=(offer(Inventory, lambda session: partial(self.teller.for_chat, session)),),
            saw=self.rounds.saw,
            attendants=(self.rounds,),
        )
