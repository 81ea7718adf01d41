"""The words of taking in a file with chats: where they go, what was found, and why not."""

from dataclasses import field
from typing import Literal

from desktop.domain.core.errors import StoreError
from desktop.records import dataclass

Chain = Literal["verified", "absent", "broken"]


class ImportRefused(StoreError):
    """The file cannot be imported; the text names the line. Nothing was imported."""


@dataclass(frozen=True)
class Where:
    """The project under which imported chats are listed, and the name of the file they come from."""

    project_id: str = ""
    project_path: str = ""
    name: str = ""


@dataclass
class ImportReport:
    """The result of an import. `sessions`: the ids the chats have here. `renamed`: ids were taken, so all are new."""

    sessions: list[str] = field(default_factory=list)
    events: int = 0
    unknown: int = 0
    restored: int = 0
    unrecoverable: tuple[str, ...] = ()
    chain: Chain = "absent"
    redacted: bool = False
    renamed: bool = False

    def sentences(self) -> tuple[str, ...]:
        """The report, for people."""
        chats = "1 chat" if len(self.sessions) == 1 else f"{len(self.sessions)} chats"
        said = [f"{chats} with {self.events:,} entries."]
        if self.unknown:
            said.append(f"{self.unknown:,} entries of kinds that this version does not know are kept without effect.")
        if self.restored:
            said.append(f"{self.restored:,} shortened inputs of calls were restored.")
        if self.unrecoverable:
            named = ", ".join(self.unrecoverable[:10]) + (", …" if len(self.unrecoverable) > 10 else "")
            said.append(f"The inputs of {len(self.unrecoverable):,} calls are lost: {named}.")
        said.append(_CHAINS[self.chain])
        if self.redacted:
            said.append("The copy is redacted: what was removed from it is not here.")
        if self.renamed:
            said.append("These chats are here already, so this is a second copy with ids of its own.")
        return tuple(said)


_CHAINS: dict[Chain, str] = {
    "verified": "Its record is whole.",
    "absent": "It carries no record to check.",
    "broken": "Its record was changed after it was exported.",
}
