"""Release: a version of the program that its makers announced, and which of two versions is the newer one."""

import re
from datetime import datetime

from pydantic import Field

from desktop.domain.core.base import Frozen

VERSION = r"^[0-9]{1,6}(\.[0-9]{1,6}){1,3}$"
MOST_NOTES = 4_000


class Release(Frozen):
    """`at`: when the commit was made that it was built from. `notes`: what its makers say of it, of any characters."""

    version: str = Field(pattern=VERSION)
    at: datetime
    notes: str = Field(default="", max_length=MOST_NOTES)

    def is_above(self, version: str) -> bool:
        """Whether it is a higher version than this one; one that is no version stands below all."""
        return _numbers(self.version) > _numbers(version)

    def is_below(self, version: str) -> bool:
        """Whether it is a lower version than this one."""
        return _numbers(self.version) < _numbers(version)


def _numbers(version: str) -> tuple[int, ...]:
    """Of 1.2 as of 1.2.0.0."""
    if re.fullmatch(VERSION, version) is None:
        return ()
    numbers = tuple(map(int, version.split(".")))
    return numbers + (0,) * (4 - len(numbers))
