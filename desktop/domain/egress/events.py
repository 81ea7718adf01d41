"""EgressRecorded: what went out to the network, and what was kept from it."""

from typing import Literal

from desktop.domain.core.event_base import EventBase
from desktop.domain.egress.values import Traffic


class EgressRecorded(EventBase):
    """What went beyond this computer since the last such event of this log, by client and host (guests-E5). Of a chat
    it stands at the end of a turn, of a project's servers every ten minutes."""

    type: Literal["egress_recorded"] = "egress_recorded"
    traffic: tuple[Traffic, ...]
