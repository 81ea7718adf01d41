"""Newer versions of the program, as a theme."""

from collections.abc import Callable

from desktop.agent.core.premises import Premises
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.egress.upstream import own_upstream
from desktop.agent.releases.keeper import Looker, ReleaseKeeper
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.config.releases import ReleaseSource
from desktop.domain.egress.values import Traffic
from desktop.late import late
from desktop.services.egress.connecting import Resolver

FILE = "releases.json"


def releases_theme(
    premises: Premises,
    settings: SettingsKeeper,
    source: ReleaseSource | None,
    resolve: Resolver,
    note: Callable[[str, Traffic], None],
) -> Theme:
    """`source`: who is asked, None: nobody. `note`: told what went out."""

    def looker(source: ReleaseSource, installed: str) -> Looker:
        made: Looker = late("desktop.services.releases.look").ReleaseLook(
            source, installed, resolve, own_upstream(settings)
        )
        return made

    file = premises.folders.data / FILE
    keeper = ReleaseKeeper(source, file, settings, premises.telling.publish, premises.clock, (looker, note))
    return Theme("releases", handlers_of(keeper), saw=keeper.saw, starting=(keeper.begin,), closed_first=(keeper,))
