"""ChildModels: which model of the person's an agent means that names a class, or a model by its id (memory-SU20)."""

import asyncio
import logging

from desktop.agent.core.session import Session
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.errors import CommandError
from desktop.providers.base import ProviderError
from desktop.records import dataclass

logger = logging.getLogger(__name__)

CLASSES = ("haiku", "sonnet", "opus")
INHERIT = "inherit"
WAITS_S = 5.0


@dataclass(frozen=True)
class ChosenModel:
    """`model` "": that of the chat above. `notice`: why it is not what was asked for, as a sentence."""

    model: str = ""
    notice: str = ""


class ChildModels:
    """Engine thread. A service is asked for its list once in a process, when an agent first names a model there."""

    def __init__(self, settings: SettingsKeeper) -> None:
        self._settings = settings
        self._listed: dict[str, tuple[str, ...]] = {}

    async def chosen(self, parent: Session, wanted: str) -> ChosenModel:
        """The model for a child of this chat, at the chat's own service. Raises nothing."""
        if wanted in ("", INHERIT, parent.state.model):
            return ChosenModel()
        listed = await self._of(parent.state.endpoint_id)
        if wanted.lower() not in CLASSES:
            known = wanted in listed or not listed
            return ChosenModel(wanted) if known else ChosenModel(notice=_unknown(f'The model "{wanted}" is not known'))
        endpoint = self._settings.find(parent.state.endpoint_id)
        own = (parent.state.model, endpoint.default_model if endpoint is not None else "", *listed)
        found = next((model for model in own if wanted.lower() in model.lower()), None)
        if found is None:
            return ChosenModel(notice=_unknown(f"No model of the class {wanted.lower()} is known"))
        return ChosenModel(found)

    async def _of(self, endpoint_id: str) -> tuple[str, ...]:
        """The ids of its list in its order, newest first as services list them; () where there is none to be had."""
        if endpoint_id not in self._listed:
            try:
                async with asyncio.timeout(WAITS_S):
                    provider = await self._settings.provider(endpoint_id)
                    self._listed[endpoint_id] = tuple(model.id for model in await provider.models())
            except (CommandError, ProviderError, TimeoutError) as error:
                logger.info("the models of %s are not known: %s", endpoint_id, error)
                return ()
        return self._listed[endpoint_id]


def _unknown(words: str) -> str:
    return f"{words} at the service of this chat, so the sub-agent has the chat's model."
