"""Taint: what a session has read that must not leave, or that nobody vouches for (gate-K6)."""

from collections.abc import Iterator

from desktop.agent.prepared import Prepared
from desktop.agent.session import Session
from desktop.domain.events import SessionTainted
from desktop.policy.gate import CallFacts

MAX_SOURCE = 200


def taints(session: Session, prepared: Prepared, secrets: tuple[str, ...] = ()) -> list[SessionTainted]:
    """The marks that follow from a call that ran, without those the session has already. `secrets`: names of those that
    were taken out of its result."""
    if prepared.facts is None:
        return []
    found = dict.fromkeys([*_sources(prepared.facts), *((f"the secret {name}", True) for name in secrets)])
    return [
        SessionTainted(reason="secret" if secret else "outside", source=source, call_id=prepared.call_id)
        for source, secret in found
        if source not in session.state.tainted
    ]


def _sources(facts: CallFacts) -> Iterator[tuple[str, bool]]:
    for path in facts.paths:
        if path.op == "read" and path.exists and (path.class_ == "secret" or path.verdict == "outside"):
            yield _named(path.rel or path.raw), path.class_ == "secret"
    for named in facts.command.paths if facts.command is not None else ():
        if named.op == "read" and (named.class_ == "secret" or named.verdict == "outside"):
            yield _named(named.path), named.class_ == "secret"


def _named(path: str) -> str:
    return path if len(path) <= MAX_SOURCE else f"{path[:MAX_SOURCE]}…"
