"""What leaves this computer, as a theme."""

import asyncio

from desktop.agent.core.premises import Premises
from desktop.agent.core.sessions import Sessions
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.egress.keeper import EgressKeeper
from desktop.agent.egress.upstream import own_upstream
from desktop.agent.lanes.project_log import ProjectLog, project_log_id
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.events import Envelope
from desktop.late import late
from desktop.services.egress.connecting import Resolver
from desktop.services.egress.egress import Egress

MOST_READ = 5_000
"""How many of the newest events of a repository's own log are read for what left."""


def own_egress(settings: SettingsKeeper, resolve: Resolver) -> Egress:
    """The program's own way out. What makes connections is loaded with the first of them."""

    upstream = own_upstream(settings)
    return Egress(lambda: late("desktop.services.egress.routes").Routes(resolve=resolve, upstream=upstream))


def egress_theme(premises: Premises, sessions: Sessions, log: ProjectLog, egress: Egress) -> Theme:
    """The proxy is closed last, when nothing that uses it runs."""

    async def newest() -> list[Envelope]:
        project = premises.project()
        if project is None:
            return []
        return await asyncio.to_thread(premises.store.readings.newest, project_log_id(project.id), MOST_READ)

    keeper = EgressKeeper(egress, sessions, log, newest, premises.telling, premises.clock)
    return Theme("egress", handlers_of(keeper), saw=keeper.saw, attendants=(keeper,), closed_last=(egress,))
