"""What leaves this computer, as a theme."""

from typing import TYPE_CHECKING

from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme
from desktop.agent.egress.keeper import EgressKeeper
from desktop.agent.lanes.project_log import ProjectLog
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.late import late
from desktop.services.egress.connecting import Resolver
from desktop.services.egress.egress import Egress

if TYPE_CHECKING:
    from desktop.services.egress.routes import Upstream


def own_egress(settings: SettingsKeeper, resolve: Resolver) -> Egress:
    """The program's own way out. What makes connections is loaded with the first of them."""

    def upstream() -> "Upstream | None":
        found: Upstream | None = late("desktop.services.egress.routes").upstream_of(
            settings.current.upstream_proxy, names=settings.current.upstream_names
        )
        return found

    return Egress(lambda: late("desktop.services.egress.routes").Routes(resolve=resolve, upstream=upstream))


def egress_theme(premises: Premises, sessions: Sessions, log: ProjectLog, egress: Egress) -> Theme:
    """The proxy is closed last, when nothing that uses it runs."""
    keeper = EgressKeeper(egress, sessions, log.append, premises.clock)
    return Theme("egress", saw=keeper.saw, attendants=(keeper,), closed_last=(egress,))
