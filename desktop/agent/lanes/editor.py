"""EditorCommands: a lane's folder, or a file of it, opened in the person's own editor."""

import os
from pathlib import Path

from desktop.agent.core.commands import Handler
from desktop.agent.core.ground import Ground
from desktop.agent.core.sessions import Sessions
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.command import Command
from desktop.domain.core.errors import CommandError
from desktop.domain.lanes.commands import OpenInEditor
from desktop.services.settings.editors import EditorError, editor_command, open_in_editor
from desktop.services.terminals.shell import TERMINAL_VARIABLE, terminal_environment


class EditorCommands:
    """All on the engine thread. The editor gets the environment of the lane's terminals, but not their mark: it is the
    person's and stays open when the lane or the app goes."""

    def __init__(self, ground: Ground, sessions: Sessions, settings: SettingsKeeper) -> None:
        self._ground = ground
        self._sessions = sessions
        self._settings = settings

    def handlers(self) -> dict[type[Command], Handler]:
        """By kind of command, what carries it out."""
        return {OpenInEditor: self._open}

    async def _open(self, command: OpenInEditor) -> None:
        lane = self._ground.lane(command.lane_id)
        root = Path(lane.worktree_path)
        path = root / command.path
        if not path.resolve().is_relative_to(root.resolve()):
            raise CommandError("outside", "This file is not in the lane's folder.")
        if not path.exists():
            raise CommandError("missing", f"{command.path or lane.worktree_path} is not there any more.")
        words = editor_command(self._settings.current.editor, os.environ)
        known = self._settings.redactor.known_in
        env = terminal_environment(os.environ, lane, self._sessions.lane_env(lane), lambda value: bool(known(value)))
        for name in (TERMINAL_VARIABLE, "TERM", "COLORTERM"):
            env.pop(name, None)
        try:
            await open_in_editor(words, path, command.line, env)
        except EditorError as error:
            raise CommandError("no_editor", str(error)) from error
