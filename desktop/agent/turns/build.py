"""Turns as a theme: what begins, runs, limits and ends them, and what begins chats."""

from collections.abc import Callable

from desktop.agent.chats.build import Chats
from desktop.agent.context.keeper import ContextKeeper
from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.gate.build import Gate
from desktop.agent.memory.orientation import Orientation
from desktop.agent.providers.ask_model import AskModel
from desktop.agent.turns.chat_work import ChatWork
from desktop.agent.turns.commands import TurnCommands
from desktop.agent.turns.drivers import Drivers
from desktop.agent.turns.frame import FrameParts, LoopParts
from desktop.agent.turns.limits import LimitCommands, LimitWatch
from desktop.agent.turns.slots import TurnSlots
from desktop.agent.turns.spend import DaySpend
from desktop.agent.turns.starter import ChatStarter
from desktop.config.settings_file import limit_problems
from desktop.domain.core.listeners import Voices
from desktop.domain.events import Event


class Turns:
    """`commands` begins and ends turns, `driver` carries them out, `limits` is asked before they go on, `chats` is what
    works with chats. `frame`: what every driver works with; `slots`: how many turns run; `between`, `heard`: see
    `FrameParts`. `make`: makes the drivers."""

    def __init__(
        self,
        premises: Premises,
        chats: Chats,
        gate: Gate,
        context: ContextKeeper,
        orientation: Orientation,
        make: Callable[[LoopParts], Drivers],
    ) -> None:
        store, telling = premises.store, premises.telling
        sessions, settings, queue = chats.sessions, chats.settings, chats.queue
        model = AskModel(gate.judge, store.blobs, settings, gate.additions.prompt, interactive=gate.caller.can_ask)
        day = DaySpend(store.events, premises.clock)
        problems = limit_problems(premises.folders.settings_file)
        self.limits = LimitWatch(settings, context, day, telling.publish, problems)
        self.slots = TurnSlots(lambda: settings.current.turns_at_once)
        self.between = Voices[[Session], list[Event]]()
        self.heard = Voices[[Session, list[Event]], list[Event]]()
        frame = FrameParts(
            gate.judge,
            gate.caller,
            settings,
            queue,
            self.limits,
            gate.guard,
            self.slots,
            gate.hooks.turns,
            self.between,
            self.heard,
        )
        self.frame = frame
        parts = LoopParts(frame, model, context, orientation)
        self.driver = make(parts)
        self.commands = TurnCommands(sessions, self.driver, settings, queue, self.limits, telling.publish)
        self.commands.ended.add(telling.listed)
        self.commands.stopped.add(context.stop)
        starter = ChatStarter(
            sessions, settings, gate.commands, self.limits, self.commands, premises.kind, premises.project, self.driver
        )
        self.chats = ChatWork(sessions, self.commands, settings, starter)
        self.theme = Theme("turns", handlers_of(starter, self.commands, LimitCommands(sessions)))
