"""Hooks as a theme: what is asked before calls and told after them, and what people do with it."""

import os

from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.hooks.book import HookBook
from desktop.agent.hooks.calls import CallHooks
from desktop.agent.hooks.commands import HookCommands
from desktop.agent.hooks.runner import HookRunner
from desktop.agent.hooks.turns import TurnHooks
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.services.hooks.running import HookRuns


class Hooks:
    """`calls` is asked and told of calls, `turns` of turns."""

    def __init__(self, premises: Premises, sessions: Sessions, settings: SettingsKeeper, log: ProjectLog) -> None:
        book = HookBook(premises.folders, lambda: settings.current.hooks_off)
        runs = HookRuns(sessions.sandbox, os.environ)
        runner = HookRunner(book, runs, lambda: settings.redactor)
        self.calls = CallHooks(runner)
        self.turns = TurnHooks(runner)
        commands = HookCommands(runner, settings, log, premises.telling.publish, premises.project, sessions.opened)
        self.theme = Theme(
            "hooks",
            handlers_of(commands),
            saw=commands.saw,
            before_request=commands.before_request,
            closed_first=(self.calls,),
            closed_last=(runs,),
        )
