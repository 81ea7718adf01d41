"""Sounds: what the engine is asked to play, and what came of it."""

from typing import Literal

from pydantic import Field

from desktop.domain.chats.commands import CommandBase
from desktop.domain.core.base import Frozen

Sound = Literal["waiting", "done"]


class PlaySound(CommandBase):
    """Play a sound at this volume, in percent; None: look which program would. → SoundPlayed."""

    type: Literal["play_sound"] = "play_sound"
    sound: Sound | None = None
    volume: int = Field(default=70, ge=0, le=100)


class SoundPlayed(Frozen):
    """`player`: the program that plays sounds here, "" for none that works; then nothing was to be heard."""

    command_id: str
    player: str = ""
