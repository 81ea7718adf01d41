"""What a search found is put in order by a model that a person named; where that fails, its words decide, visibly."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from desktop.agent.memory import embeddings
from desktop.config.folders import Folders
from desktop.config.settings import Endpoint, Settings
from desktop.config.settings_file import save_settings
from desktop.domain.commands import SaveSettings
from desktop.domain.memory.commands import SearchMemory
from desktop.domain.memory.events import MemorySearched
from desktop.domain.memory.updates import MemoryFound
from tests.agent.memory.test_memory_slice import add, results
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.fakes.web_host import Told, WebHost

pytestmark = pytest.mark.asyncio
WORDS = "The parser of dates takes the parser of dates from the library of dates."
MEANT = "Dates of people are read by hand."
OTHER = "Dates and pears are eaten in autumn."


class Service(WebHost):
    """Gives embeddings: texts about reading dates lie close to one another."""

    def __init__(self) -> None:
        super().__init__({"/v1/embeddings": Told(lambda: [self.answer()], {"Content-Type": "application/json"})})
        self.wrong: bytes | None = None

    def answer(self) -> bytes:
        asked = json.loads(self.asked[-1].body)
        vectors = [[3.0, 0.1] if "by hand" in text or "question" in text else [0.1, 2.0] for text in asked["input"]]
        data = [{"index": at, "embedding": vector} for at, vector in enumerate(vectors)]
        return json.dumps({"data": data[::-1]}).encode() if self.wrong is None else self.wrong

    @property
    def sent(self) -> list[list[str]]:
        return [json.loads(one.body)["input"] for one in self.asked]


@pytest.fixture
def service() -> Iterator[Service]:
    with Service() as service:
        yield service


@pytest.fixture
def folders(folders: Folders, model_api: FakeModelApi, service: Service) -> Folders:
    fake = Endpoint(id="fake", label="Fake", kind="compatible", base_url=model_api.url, auth="none", default_model="m")
    local = Endpoint(
        id="local", label="Local", kind="openai_compatible", auth="none", base_url=f"http://127.0.0.1:{service.port}/v1"
    )
    save_settings(folders.settings_file, Settings(endpoints=(fake, local), default_endpoint="fake"))
    return folders


async def named(rig: Rig, model: str) -> None:
    settings = rig.engine.settings.current.model_copy(update={"memory_embeddings": model})
    await rig.engine.handle(SaveSettings(settings=settings))


async def remembered(rig: Rig, model_api: FakeModelApi) -> None:
    turns = [add(text, write_mode="strict") for text in (MEANT, OTHER, WORDS)]
    model_api.script(*turns, text_turn("ok"))
    await rig.new("Say something of interest")
    await rig.ended()


async def found(rig: Rig, text: str = "question dates") -> MemoryFound:
    await rig.engine.handle(SearchMemory(text=text))
    return [one for one in rig.updates if isinstance(one, MemoryFound)][-1]


def order(found: MemoryFound) -> list[str]:
    return [hit.entry.content for hit in found.hits]


@pytest.mark.promise("memory-ME12")
async def test_a_model_that_a_person_named_puts_in_order_what_the_words_found_and_finds_nothing_itself(
    rig: Rig, model_api: FakeModelApi, service: Service
) -> None:
    await remembered(rig, model_api)
    by_words = await found(rig)
    assert service.asked == [], "it is off"
    assert set(order(by_words)) == {MEANT, OTHER, WORDS}

    await named(rig, "local small")
    first = await found(rig)
    assert order(first)[0] == MEANT
    assert first.problem == ""
    assert first.hits[0].parts.text > 390 > 100 > first.hits[1].parts.text
    assert [hit.parts.importance for hit in first.hits] == [90] * 3, "all else of a score stays"
    assert len(service.sent[0]) == 4
    await found(rig)
    assert service.sent[1] == ["question dates"], "what is known is not sent again"
    assert (await found(rig, "question pears")).hits[0].entry.content == OTHER, (
        "what the words did not find is not there"
    )

    model_api.script(tool_turn("memory_search", query="question dates"), text_turn("ok"))
    await rig.new("Look it up for me")
    await rig.ended(2)
    assert results(rig)[-1].index(MEANT) < results(rig)[-1].index(WORDS[:40])
    searched = [one for one in rig.events(MemorySearched) if one.call_id][-1]
    assert (searched.ran, searched.problem) == (True, "")


@pytest.mark.promise("memory-ME12")
@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (b"<html>", "did not answer with embeddings"),
        (b'{"data": [{"index": 0, "embedding": [1]}]}', "one embedding for each text"),
        (b'{"data": [{"index": 0, "embedding": [0, 0]}]}', "did not answer with embeddings"),
        (b'{"data": [{"index": 0, "embedding": [1e999]}]}', "did not answer with embeddings"),
        (b"[" * 100_000, "did not answer with embeddings"),
        (b'{"data": null}', "did not answer with embeddings"),
    ],
)
async def test_what_is_no_answer_leaves_the_order_of_the_words_and_says_so(
    rig: Rig, model_api: FakeModelApi, service: Service, wrong: bytes, why: str
) -> None:
    await remembered(rig, model_api)
    by_words = order(await found(rig))
    await named(rig, "local small")
    service.wrong = wrong
    told = await found(rig)
    assert order(told) == by_words
    assert why in told.problem
    assert told.problem.startswith("Ordered by words alone, as local did not help")


@pytest.mark.promise("memory-ME12")
async def test_a_service_that_is_gone_slow_or_none_leaves_the_order_of_the_words(
    rig: Rig, model_api: FakeModelApi, service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    await remembered(rig, model_api)
    by_words = order(await found(rig))
    for model, why in (("nobody small", "no endpoint"), ("fake small", "no service of the kind")):
        await named(rig, model)
        told = await found(rig)
        assert order(told) == by_words
        assert why in told.problem.lower(), told.problem
    await named(rig, "local small")
    service.pages.clear()
    assert "status 404" in (await found(rig)).problem
    monkeypatch.setattr(embeddings, "LIMIT_S", 0.0)
    assert "did not answer within 0 s" in (await found(rig)).problem
    monkeypatch.setattr(embeddings, "LIMIT_S", 5.0)
    monkeypatch.setattr(embeddings, "MOST_ANSWERED", 2)
    assert "could not be asked (TooMuch)" in (await found(rig)).problem

    model_api.script(tool_turn("memory_search", query="question dates"), text_turn("ok"))
    await rig.new("Look it up for me")
    await rig.ended(2)
    searched = [one for one in rig.events(MemorySearched) if one.call_id][-1]
    assert (searched.ran, searched.satisfies) == (True, True)
    assert searched.problem.startswith("Ordered by words alone")


@pytest.mark.parametrize("text", ["local", "local a b", "x" * 300 + " y"])
async def test_a_setting_that_names_no_model_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a service and a model"):
        Settings(memory_embeddings=text)
    assert Settings(memory_embeddings="  local   small ").memory_embeddings == "local small"
