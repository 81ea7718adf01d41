"""Taint: what a session has read that must not leave, or that nobody vouches for (gate-K6)."""

from collections.abc import Iterator, Mapping

from desktop.agent.core.session import Session
from desktop.agent.gate.calls.prepared import Prepared
from desktop.domain.gate.events import SessionTainted, TaintReason
from desktop.policy.gate import CallFacts
from desktop.policy.shell.read.git_shown import secrets_in_output

MAX_SOURCE = 200
_SECRET_TOLD: Mapping[str, str] = {"any": "the secret {name}"}


def taints(
    session: Session,
    prepared: Prepared,
    secrets: tuple[str, ...] = (),
    untrusted: tuple[str, ...] = (),
    text: str = "",
) -> list[SessionTainted]:
    """The marks that follow from a call that ran, without those the session has already. `secrets`: names of those that
    were taken out of its result; `untrusted`: where text in it comes from that strangers wrote;
    `text`: what it printed."""
    if prepared.facts is None:
        return []
    found: dict[tuple[str, TaintReason], None] = dict.fromkeys(_sources(prepared.facts))
    if prepared.facts.command is not None and prepared.facts.command.git_reads:
        found |= dict.fromkeys((_named(path), "secret") for path in secrets_in_output(text))
    found |= dict.fromkeys((_SECRET_TOLD["any"].format(name=name), "secret") for name in secrets)
    found |= dict.fromkeys((_named(source), "untrusted") for source in untrusted)
    return [
        SessionTainted(reason=reason, source=source, call_id=prepared.call_id)
        for source, reason in found
        if source not in session.state.tainted
    ]


def _sources(facts: CallFacts) -> Iterator[tuple[str, TaintReason]]:
    for given in facts.secrets:
        yield _named(_SECRET_TOLD["any"].format(name=given.title)), "secret"
    for path in facts.paths:
        if path.op == "read" and path.exists and (path.class_ == "secret" or path.verdict == "outside"):
            yield _named(path.rel or path.raw), "secret" if path.class_ == "secret" else "outside"
    for named in facts.command.paths if facts.command is not None else ():
        if named.op == "read" and (named.class_ == "secret" or named.verdict == "outside"):
            yield _named(named.path), "secret" if named.class_ == "secret" else "outside"


def _named(path: str) -> str:
    return path if len(path) <= MAX_SOURCE else f"{path[:MAX_SOURCE]}…"
