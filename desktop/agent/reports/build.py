"""What agents report as a theme: the reports with their verdicts, and the commands that prove claims."""

from functools import partial

from desktop.agent.core.offers import offer
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.judge import Judge
from desktop.agent.lanes.base import LaneBase
from desktop.agent.lanes.chats import LaneChats
from desktop.agent.reports.book import ReportBook
from desktop.agent.reports.commands import ReportCommands
from desktop.agent.reports.lookup import Lookup
from desktop.agent.reports.proofs import ProofClaims
from desktop.agent.reports.sources import PullSource
from desktop.store.core.store import Store
from desktop.tools.tool import Report


class Reports:
    """`book` knows the reports of all lanes, `commands` takes them and checks their claims. `pulls`: who knows whether
    a pull request that is claimed is there."""

    def __init__(
        self, base: LaneBase, sessions: Sessions, store: Store, pulls: PullSource, judge: Judge, caller: ToolCaller
    ) -> None:
        lookup = Lookup(ProofClaims(store.proofs), pulls)
        chats = LaneChats(sessions, store.events)
        self.book = ReportBook(base.ground, base.telling.publish, base.contents, chats, store.evidence, lookup)
        self.commands = ReportCommands(sessions, self.book, judge, caller)
        self.theme = Theme(
            "reports",
            handlers_of(self.commands),
            offers=(offer(Report, lambda session: partial(self.commands.report, session)),),
            saw=self.book.saw,
            attendants=(self.book,),
            closed_first=(self.commands,),
        )
