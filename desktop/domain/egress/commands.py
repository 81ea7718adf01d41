"""Commands about what leaves this computer."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command


class LoadTraffic(Command):
    """What left this computer for the open repository outside of any chat. → TrafficLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_traffic"] = "load_traffic"
