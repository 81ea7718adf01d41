"""Commands about newer versions of the program."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command


class LookForReleases(Command):
    """Ask now whether there is a newer version, also while the daily look is off. → ReleasesStand."""

    reads: ClassVar[bool] = True
    type: Literal["look_for_releases"] = "look_for_releases"
