"""Updates about newer versions of the program. A build that names no address for them tells none."""

from collections.abc import Iterable
from datetime import datetime
from typing import ClassVar

from desktop.domain.core.update import Outcome, Stand, Update
from desktop.domain.releases.values import Release


class ReleasesStand(Outcome):
    """What is known of newer versions. `host`: who is asked; `page`: where people get one; `looked_at`: when it was
    asked last, None: never; `newer`: the newest one that was announced, None: this is the newest that is known of;
    `problem`: why the last look came to nothing, "" when it did not."""

    stands: ClassVar[Stand | None] = Stand.PROGRAM

    command_id: str = ""
    host: str
    page: str
    looked_at: datetime | None = None
    newer: Release | None = None
    problem: str = ""

    def standing(self) -> Iterable[tuple[str, Update]]:
        """A window that opens later asked for nothing."""
        return (("", self.model_copy(update={"command_id": ""})),)


class ReleasesOffered(Update):
    """The person is asked, this once, whether Banksman may look for newer versions every day."""
