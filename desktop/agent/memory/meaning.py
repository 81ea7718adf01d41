"""Meaning: what a search found by its words, put in order by what it means, where a person named a model for it
(memory-ME12)."""

from collections import OrderedDict
from hashlib import sha256
from typing import TYPE_CHECKING

from desktop.agent.memory.finding import Finding
from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.errors import BanksmanError
from desktop.late import late
from desktop.policy.memory.ranking import by_meaning
from desktop.records import dataclass

if TYPE_CHECKING:
    from desktop.agent.memory.embeddings import Vector

MOST_ORDERED = 200
MOST_KEPT = 5_000
MOST_CHARS = 2_000


@dataclass(frozen=True)
class Ordered:
    """A finding in its order. `problem`: why it is the order of its words though a model was named, a sentence."""

    finding: Finding
    problem: str = ""


class Meaning:
    """Engine thread only. Off unless the settings name a service and a model; it never finds anything by itself. The
    vectors of the newest texts are kept in memory alone."""

    def __init__(self, settings: SettingsKeeper) -> None:
        self._settings = settings
        self._kept: OrderedDict[tuple[str, str], Vector] = OrderedDict()

    async def ordered(self, query: str, finding: Finding) -> Ordered:
        """The finding by meaning; with what is wrong, it stays as it was."""
        named = self._settings.current.memory_embeddings
        if not named or len(finding.hits) < 2:
            return Ordered(finding)
        hits, rest = finding.hits[:MOST_ORDERED], finding.hits[MOST_ORDERED:]
        try:
            asked, *vectors = await self._vectors(named, (query, *(hit.entry.content for hit in hits)))
        except BanksmanError as error:
            return Ordered(finding, f"Ordered by words alone, as {named.partition(' ')[0]} did not help: {error}")
        close = {hit.entry.id: sum(map(_times, asked, vector)) for hit, vector in zip(hits, vectors, strict=True)}
        return Ordered(Finding((*by_meaning(hits, close), *rest), finding.found))

    async def _vectors(self, named: str, texts: tuple[str, ...]) -> list["Vector"]:
        """Raises BanksmanError: the service gave none."""
        endpoint_id, _, model = named.partition(" ")
        redact = self._settings.redactor.redact
        keys = [(named, sha256(text.encode("utf-8", "surrogatepass")).hexdigest()) for text in texts]
        known = {key: self._kept[key] for key in keys if key in self._kept}
        missing = {
            key: redact(text[:MOST_CHARS]).text for key, text in zip(keys, texts, strict=True) if key not in known
        }
        if missing:
            library = late("desktop.agent.memory.embeddings")
            provider = await self._settings.provider(endpoint_id)
            if not isinstance(provider, library.ChatProvider):
                raise library.NoEmbeddings("It is no service of the kind that has embeddings.")
            known |= zip(missing, await library.embeddings(provider, model, tuple(missing.values())), strict=True)
        found = [known[key] for key in keys]
        if len({len(one) for one in found}) != 1:
            self._kept.clear()
            raise late("desktop.agent.memory.embeddings").NoEmbeddings("Its vectors are of different lengths.")
        self._keep(dict(zip(keys[1:], found[1:], strict=True)))
        return found

    def _keep(self, vectors: dict[tuple[str, str], "Vector"]) -> None:
        for key, vector in vectors.items():
            self._kept[key] = vector
            self._kept.move_to_end(key)
        while len(self._kept) > MOST_KEPT:
            self._kept.popitem(last=False)


def _times(one: float, other: float) -> float:
    return one * other
