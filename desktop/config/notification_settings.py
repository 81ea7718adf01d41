"""The ways in which a person hears of what happens while they look elsewhere (ui-U162 to ui-U168)."""

import re
from datetime import time
from typing import Literal

from pydantic import Field, field_validator

from desktop.domain.core.base import Frozen

NoticeKind = Literal["waiting", "done", "failed", "budget", "pull"]
_QUIET = re.compile(r"([01]?[0-9]|2[0-3]):([0-5][0-9])\s*[-\u2013]\s*([01]?[0-9]|2[0-3]):([0-5][0-9])")


class NotificationSettings(Frozen):
    """`messages`, `sounds`: whether there are any. `untold`: of these kinds nothing is told, `unheard`: these have no
    sound. `only_unfocused`: messages and sounds come only while no window is in front. `details`: a message shows the
    command, the SQL or the question, not the card's title alone. `volume`: in percent. `quiet_hours`: "22:00-07:00",
    nothing is told then; "" for none."""

    messages: bool = True
    sounds: bool = True
    untold: tuple[NoticeKind, ...] = ()
    unheard: tuple[NoticeKind, ...] = ()
    only_unfocused: bool = True
    details: bool = False
    volume: int = Field(default=70, ge=0, le=100)
    quiet_hours: str = ""

    @field_validator("quiet_hours")
    @classmethod
    def _two_times(cls, value: str) -> str:
        found = _QUIET.fullmatch(value.strip())
        if not value.strip():
            return ""
        if found is None:
            raise ValueError("Write two times of day, such as 22:00-07:00, or nothing.")
        begin, end = (f"{int(found[at]):02}:{found[at + 1]}" for at in (1, 3))
        if begin == end:
            raise ValueError("Begin and end are the same time. Choose another one, or nothing.")
        return f"{begin}-{end}"

    def tells(self, kind: NoticeKind) -> bool:
        """Whether a note or a message tells of it."""
        return kind not in self.untold

    def sounds_for(self, kind: NoticeKind) -> bool:
        """Whether a sound tells of it."""
        return self.sounds and self.volume > 0 and kind not in self.unheard

    def is_quiet(self, at: time) -> bool:
        """Whether nothing is told at this time of day."""
        begin, _, end = self.quiet_hours.partition("-")
        if not end:
            return False
        now = f"{at:%H:%M}"
        return begin <= now < end if begin < end else now >= begin or now < end
