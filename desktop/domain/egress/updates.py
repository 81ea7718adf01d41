"""Updates about what leaves this computer."""

from datetime import datetime

from desktop.domain.core.base import Frozen
from desktop.domain.core.update import Answer
from desktop.domain.egress.values import Traffic


class SeenTraffic(Frozen):
    """The exchange with one host, all that is on record together. `at`: when it was recorded last."""

    at: datetime
    traffic: Traffic


class TrafficLoaded(Answer):
    """What servers, sign-ins to them, and tries in Settings exchanged for the open repository, which is of no chat."""

    seen: tuple[SeenTraffic, ...] = ()
    command_id: str = ""
