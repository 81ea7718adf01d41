"""Updates of previews."""

from desktop.domain.core.update import Update
from desktop.domain.preview.events import CommandTried


class TryProgress(Update):
    """How far trying a command in a copy is, in a few words."""

    session_id: str
    input_id: str
    text: str


class TriedInCopy(Update):
    """What came of trying a command in a copy."""

    session_id: str
    input_id: str
    tried: CommandTried
