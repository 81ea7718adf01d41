"""The search of the model's own vendor: whether a chat is offered it, and what is recorded of what it did."""

from urllib.parse import urlsplit

from desktop.agent.core.session import Session
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.settings import Endpoint
from desktop.domain.core.event_base import Parts
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import AssistantMessage, Event
from desktop.domain.gate.events import SessionTainted
from desktop.domain.web.events import VendorSearched
from desktop.domain.web.vendor import vendor_acts
from desktop.policy.network.hosts import HTTPS_PORT
from desktop.providers.kinds import kind_of

MOST_SEARCHES = 5
"""In one answer."""
SOURCE = "web:search at the model service"
TOOL = "web_search"
"""What the vendor calls its search; a tool of ours with the same name is not offered beside it."""


def searches_at_vendor(session: Session, settings: SettingsKeeper, endpoint: Endpoint, *, resumes: bool) -> int:
    """How often the model's own service may search for the next answer, 0: not at all. `resumes`: it goes on with an
    answer in which it paused, whose searches are what the chat has read from outside."""
    tainted, _reasons = session.taint
    wary = not resumes and (session.mode is PermissionMode.PLAN or bool(tainted))
    offered = kind_of(endpoint).searches and settings.current.web.at_vendor(wary=wary)
    return MOST_SEARCHES if offered else 0


def vendor_events(
    session: Session, parts: Parts, answer: AssistantMessage, endpoint: Endpoint, offered: bool
) -> list[Event]:
    """What is recorded with an answer of what the service did by itself for it: each on its own, and that the chat has
    read from outside. `parts`: of the answer, as they came."""
    place = urlsplit(endpoint.base_url)
    events: list[Event] = [
        VendorSearched(
            turn_id=answer.turn_id,
            message_id=answer.message_id,
            endpoint_id=answer.endpoint_id,
            host=place.hostname or endpoint.id,
            port=place.port or (80 if place.scheme == "http" else HTTPS_PORT),
            offered=offered,
            **act.model_dump(),
        )
        for act in vendor_acts(parts)
    ]
    if events and SOURCE not in session.state.tainted:
        events.append(SessionTainted(reason="untrusted", source=SOURCE))
    return events
