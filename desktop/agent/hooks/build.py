"""Hooks as a theme: what is asked before calls and told after them, and what people do with it."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from desktop.agent.core.premises import Premises
from desktop.agent.core.session import Session
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handled_late
from desktop.agent.hooks.book import HookBook
from desktop.agent.hooks.calls import CallHooks
from desktop.agent.hooks.past import PastRuns
from desktop.agent.hooks.runner import HookRunner
from desktop.agent.hooks.turns import TurnHooks
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.update import Update
from desktop.domain.hooks import commands
from desktop.domain.updates import ProjectOpened
from desktop.late import late
from desktop.services.egress.egress import Egress
from desktop.services.hooks.running import HookRuns

if TYPE_CHECKING:
    from desktop.agent.hooks.commands import HookCommands


class Hooks:
    """`calls` is asked and told of calls, `turns` of turns. What people do with hooks is loaded with the first file of
    hooks, or the first command."""

    def __init__(
        self, premises: Premises, sessions: Sessions, settings: SettingsKeeper, log: ProjectLog, egress: Egress
    ) -> None:
        self._given = premises, sessions, settings, log
        self._book = HookBook(premises.folders, lambda: settings.current.hooks_off)
        runs = HookRuns(sessions.sandbox, os.environ, egress)
        self._runner = HookRunner(self._book, runs, lambda: settings.redactor, PastRuns(premises.folders.data))
        self._commands: HookCommands | None = None
        self.calls = CallHooks(self._runner)
        self.turns = TurnHooks(self._runner)
        self.theme = Theme(
            "hooks",
            handled_late(commands, lambda: self._loaded().handlers()),
            saw=self._saw,
            before_request=self._before_request,
            closed_first=(self.calls,),
            closed_last=(runs,),
        )

    def _loaded(self) -> "HookCommands":
        if self._commands is None:
            premises, sessions, settings, log = self._given
            made: HookCommands = late("desktop.agent.hooks.commands").HookCommands(
                self._runner, settings, log, premises.telling.publish, premises.project, sessions.opened
            )
            self._commands = made
        return self._commands

    def _saw(self, update: Update) -> None:
        """Another repository has other hooks."""
        if isinstance(update, ProjectOpened):
            self._tell_waiting()

    async def _before_request(self, session: Session, turn_id: str) -> None:
        """Files that changed since are told of."""
        self._tell_waiting()

    def _tell_waiting(self) -> None:
        project = self._given[0].project()
        if self._commands is not None or self._book.is_there(Path(project.path) if project is not None else None):
            self._loaded().tell_waiting()
