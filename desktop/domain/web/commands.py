"""Commands about the web."""

from dataclasses import field
from typing import ClassVar, Literal

from pydantic import SecretStr

from desktop.config.web import WebSettings
from desktop.domain.core.command import Command


class SaveSearchKey(Command):
    """Keep the key of a search service. → SearchKeysChanged."""

    reads: ClassVar[bool] = True
    type: Literal["save_search_key"] = "save_search_key"
    service: str
    key: SecretStr = field(repr=False)


class RemoveSearchKey(Command):
    """Forget the key of a search service. → SearchKeysChanged."""

    reads: ClassVar[bool] = True
    type: Literal["remove_search_key"] = "remove_search_key"
    service: str


class LoadSearchKeys(Command):
    """Tell which search services have a key. → SearchKeysChanged."""

    reads: ClassVar[bool] = True
    type: Literal["load_search_keys"] = "load_search_keys"


class TrySearch(Command):
    """Search once with these settings, because a person asked for it. → SearchTried."""

    reads: ClassVar[bool] = True
    type: Literal["try_search"] = "try_search"
    settings: WebSettings
