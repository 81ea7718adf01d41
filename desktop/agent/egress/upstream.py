"""The proxy that the person set, as it is at each connection (guests-E6)."""

from typing import TYPE_CHECKING

from desktop.agent.settings.keeper import SettingsKeeper
from desktop.late import late

if TYPE_CHECKING:
    from desktop.services.egress.upstream import AskUpstream, Upstream


def own_upstream(settings: SettingsKeeper) -> "AskUpstream":
    """What gives the proxy of the settings. Nothing is loaded before it is asked."""

    def upstream() -> "Upstream | None":
        address, names = settings.current.upstream_proxy, settings.current.upstream_names
        found: Upstream | None = late("desktop.services.egress.upstream").upstream_of(address, names=names)
        return found

    return upstream
