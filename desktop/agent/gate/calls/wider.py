"""The request of a card, and on that of a command without the network the offer to run with the hosts that it needs
(gate-B1, gate-G27)."""

from collections.abc import Iterator

from pydantic import JsonValue

from desktop.agent.core.session import Session
from desktop.agent.gate.approval import approval_request
from desktop.agent.gate.calls.prepared import Prepared, edited_arguments
from desktop.agent.gate.inputs import Waiting
from desktop.agent.gate.judge import Judge
from desktop.domain.core.content import TextBlock
from desktop.domain.core.permissions import Verdict
from desktop.domain.gate.pending import ApprovalRequest, NetworkOffer
from desktop.policy.shell.read.needed_hosts import needed_hosts

_HOSTS = "hosts"


def request_of(
    judge: Judge, session: Session, prepared: Prepared, *, edited_from: str = "", changed: tuple[str, ...] = ()
) -> ApprovalRequest:
    """What a card shows of a judged call now. `edited_from`: the digest of the agent's own version."""
    request = approval_request(
        session, prepared, judge.surroundings(session, prepared, changed), edited_from=edited_from
    )
    if edited_from or prepared.decision.verdict is not Verdict.ASK:
        return request
    for edited, shown in _with_hosts(judge, session, prepared, request):
        said = [block.text for block in shown.card.blocks if isinstance(block, TextBlock)]
        known = [block.text for block in request.card.blocks if isinstance(block, TextBlock)]
        offer = NetworkOffer(
            hosts=shown.hosts,
            edited_input=edited,
            digest=shown.digest,
            says=tuple(text for text in said if text not in known),
            grants=tuple(offer for offer in shown.grants if offer.hosts),
        )
        return request.model_copy(update={"network_offer": offer})
    return request


def keep_offer(judge: Judge, waiting: Waiting) -> None:
    """An open card may be answered by its offer, as if a person had typed the hosts and had them checked."""
    request, prepared = waiting.request, waiting.prepared
    if not isinstance(request, ApprovalRequest) or prepared is None or request.network_offer is None:
        return
    for edited, shown in _with_hosts(judge, waiting.session, prepared, request):
        waiting.edits[shown.digest] = (edited, shown)


def _with_hosts(
    judge: Judge, session: Session, prepared: Prepared, request: ApprovalRequest
) -> Iterator[tuple[dict[str, JsonValue], ApprovalRequest]]:
    """The arguments with hosts and the request of that call, at most once: nothing where the command runs elsewhere
    than in the lane's sandbox, where hosts cannot be kept apart, and where the call would be refused."""
    facts, known = prepared.facts, prepared.session
    if facts is None or facts.command is None or known is None or request.irreversible:
        return
    fits = facts.profile == "lane-off" and facts.origin == "agent" and _HOSTS in request.editable and not facts.secrets
    hosts = needed_hosts(str(request.arguments.get("command", "")), facts.command) if fits else ()
    if not hosts or not known.keeps_hosts or known.tainted:
        return
    edited: dict[str, JsonValue] = {**request.arguments, _HOSTS: " ".join(hosts)}
    again = judge.judge(session, prepared.call_id, prepared.name, edited_arguments(prepared, edited))
    if again.decision.verdict is not Verdict.DENY:
        yield edited, request_of(judge, session, again, edited_from=request.digest)
