"""CutTexts: texts that a line of a run is too short for, kept whole beside the log, which names them."""

import asyncio
from collections.abc import Callable

from desktop.agent.engine import Engine
from desktop.cli.headless.outlets import TEXT
from desktop.domain.core.content import BlobRef
from desktop.domain.core.errors import StoreError
from desktop.domain.events import Notice
from desktop.tools.text import count_words

KIND = "line_cut"


class CutTexts:
    """On the engine's loop. A text is kept at once, so that the line can name it; the chat's log names it once what the
    log is told of now is told, so that it goes with the chat. `problem` is told where that failed."""

    def __init__(self, engine: Engine, problem: Callable[[str], None]) -> None:
        self._engine, self._problem = engine, problem
        self._new: dict[str, list[BlobRef]] = {}

    def keep(self, session_id: str, text: bytes) -> bool:
        """Whether the text is kept, for a chat of this engine."""
        try:
            found = self._engine.keep_blob(text, TEXT)
        except StoreError:
            return False
        if session_id not in self._new:
            asyncio.get_running_loop().call_soon(self._name, session_id)
        self._new.setdefault(session_id, []).append(found)
        return True

    def _name(self, session_id: str) -> None:
        kept = tuple(dict.fromkeys(self._new.pop(session_id)))
        text = f"{count_words(len(kept), 'text')} of this run did not fit into a line of its output and is kept whole."
        if len(kept) > 1:
            text = text.replace(" is kept", " are kept")
        try:
            self._engine.sessions.get(session_id).append(Notice(kind=KIND, text=text, kept=kept))
        except StoreError as error:
            self._problem(f"What was cut in the output could not be named in the log: {error}")
