"""Events about the web."""

from typing import Literal

from desktop.domain.core.base import Frozen
from desktop.domain.core.event_base import EventBase


class FoundPage(Frozen):
    """A page that a search found."""

    url: str
    title: str = ""


class VendorSearched(EventBase):
    """The model's own service searched, or did something else by itself, while it answered (guests-W8). `tool`,
    `call_id`: what the service calls it; `query`: what it was asked; `host`: the service. `problem`: why nothing came
    of it. `offered` False: nobody had switched that on."""

    type: Literal["vendor_searched"] = "vendor_searched"
    turn_id: str = ""
    message_id: str = ""
    call_id: str
    tool: str = ""
    query: str = ""
    endpoint_id: str = ""
    host: str = ""
    port: int = 443
    results: tuple[FoundPage, ...] = ()
    problem: str = ""
    offered: bool = True
