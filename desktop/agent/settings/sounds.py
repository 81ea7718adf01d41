"""SoundCommands: plays the sounds of notifications, because the window's thread starts no program."""

import os

from desktop.agent.core.commands import Handler
from desktop.agent.core.session import Publish
from desktop.domain.chats.sounds import PlaySound, SoundPlayed
from desktop.domain.core.command import Command
from desktop.services.settings.sound_player import find_player, play_sound


class SoundCommands:
    """All on the engine thread."""

    def __init__(self, publish: Publish) -> None:
        self._publish = publish

    def handlers(self) -> dict[type[Command], Handler]:
        """Its command."""
        return {PlaySound: self._play}

    async def _play(self, command: PlaySound) -> None:
        player = find_player(os.environ)
        if (
            player
            and command.sound is not None
            and not await play_sound(player, command.sound, command.volume, os.environ)
        ):
            player = ""
        self._publish(SoundPlayed(command_id=command.command_id, player=player))
