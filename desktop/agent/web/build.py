"""The web as a theme: pages and searches for chats, where a person switched it on."""

from collections.abc import Callable

from desktop.agent.core.offers import offer
from desktop.agent.core.session import Publish
from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.agent.web.keeper import SessionSearch, SessionWeb, WebKeeper
from desktop.domain.egress.values import Traffic
from desktop.services.egress.connecting import Resolver
from desktop.tools.calls.web import ChatSearch, ChatWeb


def web_theme(
    settings: SettingsKeeper, publish: Publish, resolve: Resolver, note: Callable[[str, Traffic], None]
) -> Theme:
    """`resolve`: the addresses of hosts; `note`: told what went out, and for which chat."""
    keeper = WebKeeper(settings, publish, resolve, note)
    pages = offer(ChatWeb, lambda session: SessionWeb(keeper, session) if keeper.web.enabled else None)
    searches = offer(ChatSearch, lambda session: SessionSearch(keeper, session) if keeper.can_search() else None)
    begin = (keeper.begin,)
    return Theme("web", handlers_of(keeper), offers=(pages, searches), saw=keeper.saw, starting=begin)
