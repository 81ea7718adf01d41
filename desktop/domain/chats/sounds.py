"""Sounds: what the engine is asked to play, and what came of it."""

from typing import ClassVar, Literal

from pydantic import Field

from desktop.domain.core.command import CheckedCommand
from desktop.domain.core.update import Answer

Sound = Literal["waiting", "done"]


class PlaySound(CheckedCommand):
    """Play a sound at this volume, in percent; None: look which program would. → SoundPlayed."""

    reads: ClassVar[bool] = True
    type: Literal["play_sound"] = "play_sound"
    sound: Sound | None = None
    volume: int = Field(default=70, ge=0, le=100)


class SoundPlayed(Answer):
    """`player`: the program that plays sounds here, "" for none that works; then nothing was to be heard."""

    player: str = ""
