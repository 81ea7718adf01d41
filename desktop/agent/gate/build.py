"""The gate as a theme: rules, sandbox, judge and tool caller, what asks a person, and the look back."""

import asyncio
from collections.abc import Callable

from desktop.agent.core.additions import Additions
from desktop.agent.core.offers import Offer, Offers, offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.calls.caller import ToolCaller
from desktop.agent.gate.calls.loop_guard import LoopGuard
from desktop.agent.gate.commands import GateCommands
from desktop.agent.gate.inputs import PendingInputs
from desktop.agent.gate.judge import Judge, JudgeNeeds
from desktop.agent.gate.look_back import LookBack
from desktop.agent.gate.rules import RuleCommands
from desktop.agent.gate.sandbox import SandboxCommands
from desktop.agent.hooks.build import Hooks
from desktop.agent.lanes.keeper import LaneKeeper
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.update import Update
from desktop.domain.core.work import Activity
from desktop.domain.updates import ActivityChanged
from desktop.policy.lazy import assess_shell, load_judgement
from desktop.policy.shell.read.world import TextWorld
from desktop.policy.shell.verdict import ShellVerdict
from desktop.store.gate.rules import RuleStore
from desktop.tools.offers import BackgroundShells, Person, Shell, WorkingLane
from desktop.tools.registry import builtin_tools

REQUEST_LEFT_S = 0.05


class Gate:
    """`offers`: what themes have for the tools of a chat, `additions`: the tools that they find; they give both when
    they are built. `hooks` of calls and turns. `can_ask`: a person can answer cards in this process."""

    def __init__(
        self,
        premises: Premises,
        sessions: Sessions,
        keeper: LaneKeeper,
        settings: SettingsKeeper,
        hooks: Hooks,
        *,
        can_ask: bool,
    ) -> None:
        store, folders, publish = premises.store, premises.folders, premises.telling.publish
        rule_store = RuleStore(folders.data, folders.config, judge=_whole_line, clock=premises.clock)
        self.rules = RuleCommands(
            rule_store, _whole_line, publish, premises.clock, past=store.readings, project=premises.project
        )
        self.sandbox = SandboxCommands(sessions.sandbox, publish)
        inputs = self.inputs = PendingInputs()
        self.offers, self.additions, self.hooks = Offers(), Additions(), hooks
        hosted = premises.kind == "hosted"
        needs = JudgeNeeds(
            self.rules, self.sandbox, hooks.calls, lambda: settings.redactor, self.additions.tools, hosted
        )
        self.judge = Judge(builtin_tools(), store.blobs, needs, self.offers, can_ask=can_ask)
        self.guard = LoopGuard()
        self.caller = ToolCaller(
            self.judge,
            inputs,
            can_ask=can_ask,
            guard=self.guard,
            keeper=keeper,
            must_keep=lambda: settings.current.require_checkpoint,
        )
        self.commands = GateCommands(sessions, inputs, self.judge, self.caller, publish, store.blobs)
        self.look_back = LookBack(sessions, store.blobs)

    def theme(self, is_reading: Callable[[], bool]) -> Theme:
        """`is_reading`: the store is damaged, and of such a one it is not known which lanes there are."""

        def saw(update: Update) -> None:
            if not is_reading():
                self.rules.saw(update)
            ahead.saw(update)

        ahead = JudgementAhead()
        handlers = handlers_of(self.commands, self.rules, self.sandbox, self.look_back)
        return Theme("gate", handlers, offers=self._own_offers(), saw=saw, closed_first=(ahead,))

    def _own_offers(self) -> tuple[Offer, ...]:
        """What a chat has by itself."""
        somebody = Somebody() if self.caller.can_ask else None
        return (
            offer(WorkingLane, lambda session: session.files),
            offer(Shell, _shell),
            offer(BackgroundShells, _background_shells),
            offer(Person, lambda session: somebody),
        )


class JudgementAhead:
    """Has the judgement of command lines imported (0.2 s) on a worker thread once the first request has left: nobody
    computes until its answer comes, and the first command of that does not hold up the engine."""

    def __init__(self) -> None:
        self._timer: asyncio.TimerHandle | None = None

    def saw(self, update: Update) -> None:
        """The first request begins it."""
        if self._timer is None and isinstance(update, ActivityChanged) and update.activity is Activity.REQUESTING:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(REQUEST_LEFT_S, loop.run_in_executor, None, load_judgement)

    async def close(self) -> None:
        """It is not begun any more."""
        if self._timer is not None:
            self._timer.cancel()


class Somebody:
    """A person can answer."""


def _shell(session: Session) -> Shell | None:
    return session.processes if session.processes is not None and session.processes.has_bash else None


def _background_shells(session: Session) -> BackgroundShells | None:
    return session.processes if session.processes is not None and session.processes.shells() else None


def _whole_line(text: str) -> ShellVerdict:
    """A command line judged by its text alone, as the tests of rules and Settings need it."""
    return assess_shell(text, TextWorld())
