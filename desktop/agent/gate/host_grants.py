"""Hosts that a person lets commands reach: what a card offers, and the rules that it makes (gate-W5)."""

from collections.abc import Sequence

from desktop.domain.core.errors import CommandError
from desktop.domain.gate.pending import GrantOffer
from desktop.domain.gate.rules import Rule
from desktop.policy.network.hosts import Refused, check_allowed


def host_offers(hosts: tuple[str, ...]) -> tuple[GrantOffer, ...]:
    """Rules for the hosts alone: what else asks about the command asks again the next time."""
    names = f"Commands may reach {' and '.join(hosts)}"
    chat = f"{names}, until this chat is closed. This command runs once."
    project = f"{names}, in every lane of this project, until you remove the rules. This command runs once."
    return (
        GrantOffer(scope="session", covers=chat, hosts=hosts),
        GrantOffer(scope="project", covers=project, hosts=hosts),
    )


def host_rules(offer: GrantOffer, input_id: str) -> Sequence[Rule]:
    """The rules that an offer for hosts makes.

    Raises:
        CommandError: `rule_refused`, one of them is no host.
    """
    return [_rule(text, offer, input_id) for text in offer.hosts]


def _rule(text: str, offer: GrantOffer, input_id: str) -> Rule:
    host = check_allowed(text)
    if isinstance(host, Refused):
        raise CommandError("rule_refused", host.reason)
    below = host.pattern.startswith(".")
    return Rule(
        id="",
        decision="allow",
        kind="network",
        scope="session" if offer.scope == "session" else "project",
        host=host.pattern,
        ports=host.ports,
        created_by="card",
        request_id=input_id,
        match=(f"a{host.pattern}" if below else host.pattern,),
        not_match=(f"{host.pattern.removeprefix('.')}.example",),
    )
