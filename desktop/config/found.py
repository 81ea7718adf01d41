"""FoundService: a model service that the environment names, used while a person has set up none of its kind."""

from collections.abc import Callable, Sequence

from desktop.config.settings import Endpoint, Settings
from desktop.domain.core.base import Frozen


class FoundService(Frozen):
    """`address_from`: the variable that names its address, "" for the vendor's own. `key_from`: the one that holds its
    key, "" for none. `used`: nothing of its kind is set up, so that chats may have it."""

    endpoint: Endpoint
    address_from: str = ""
    key_from: str = ""
    used: bool = False

    @property
    def variables(self) -> str:
        """What it was found in, for people."""
        return " and ".join(name for name in (self.address_from, self.key_from) if name)


def judged(
    found: Sequence[FoundService], settings: Settings, has_key: Callable[[str], bool]
) -> tuple[FoundService, ...]:
    """What was found, each with whether it is used. `has_key`: whether the endpoint of this id has a key."""

    def is_set_up(protocol: str) -> bool:
        own = (one for one in settings.endpoints if one.protocol == protocol)
        return any(one.auth == "none" or has_key(one.id) for one in own)

    return tuple(one.model_copy(update={"used": not is_set_up(one.endpoint.protocol)}) for one in found)


def default_endpoint(settings: Settings, found: Sequence[FoundService], has_key: Callable[[str], bool]) -> str:
    """The id of the service of new chats: the settings' own, or where that has no key one that is used."""
    own = settings.endpoint(settings.default_endpoint)
    if own is not None and (own.auth == "none" or has_key(own.id)):
        return own.id
    ready = (one.endpoint.id for one in found if one.used and one.endpoint.default_model)
    return next(ready, settings.default_endpoint)
