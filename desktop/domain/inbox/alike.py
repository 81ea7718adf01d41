"""Requests that are equal but for their lane: one look may answer them, each by its own answer."""

from desktop.domain.gate.action import canonical_json
from desktop.domain.gate.pending import ApprovalRequest, InputRequest

MOST_TOGETHER = 20
_OF_THE_LANE: dict[str, bool | dict[str, bool]] = {
    "call_id": True, "digest": True, "lane": True, "cwd": True, "head": True, "report_id": True, "remember_key": True,
    "grants": True, "undo_how": True, "undo_until": True, "network_offer": {"digest": True, "grants": True},
}  # fmt: skip
"""What differs between lanes although the call is the same. No joint answer uses the grants: it allows once."""


def may_stand_together(request: InputRequest) -> bool:
    """Whether one look may answer this request and others like it: never at high risk, where nothing can be undone,
    or where the chat read something that must not count as checked."""
    return (
        isinstance(request, ApprovalRequest)
        and request.risk in ("low", "medium")
        and not request.irreversible
        and request.undoable != "no"
        and not request.tainted
        and not request.edited_from
        and bool(request.lane)
        and any(grant.scope == "once" for grant in request.grants)
    )


def alike_key(request: InputRequest) -> str:
    """Equal for requests that are equal but for their lane; "" for those that stand alone."""
    if not may_stand_together(request):
        return ""
    return canonical_json(request.model_dump(mode="json", exclude=_OF_THE_LANE))
