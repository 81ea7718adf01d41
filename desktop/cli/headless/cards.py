"""Cards: where people answer the requests of a run without a window."""

from hashlib import sha256
from typing import Protocol

from pydantic import JsonValue

from desktop.cli.headless.outlets import Line
from desktop.domain.core.update import Update
from desktop.domain.gate.pending import ApprovalRequest, InputRequest, input_title


class Cards(Protocol):
    """Where cards of a run are answered."""

    def take(self, update: Update) -> None:
        """Ask when an update is a request that blocks, of the chat or of one below it."""

    def ask_late(self, session_id: str, input_id: str, request: InputRequest) -> None:
        """Ask about a request that a restart had closed."""


def digest_of(request: InputRequest) -> str:
    """What an answer to this very request names: the digest of the call, else the SHA-256 of what is asked."""
    if isinstance(request, ApprovalRequest):
        return request.digest
    return sha256(request.model_dump_json().encode("utf-8", "surrogatepass")).hexdigest()


def waiting_line(session_id: str, input_id: str, request: InputRequest) -> Line:
    """The JSON line that says that a card waits."""
    line: Line = {
        "type": "waiting",
        "session_id": session_id,
        "input_id": input_id,
        "kind": request.kind,
        "digest": digest_of(request),
        "title": input_title(request),
        "risk": None,
        "confirm_word": "",
        "grants": [],
    }
    if isinstance(request, ApprovalRequest):
        grants: list[JsonValue] = [offer.scope for offer in request.grants]
        line |= {"risk": request.risk, "confirm_word": request.confirm_word, "grants": grants}
    return line
