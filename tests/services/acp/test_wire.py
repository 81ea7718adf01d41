"""The wire against a real child process over pipes: order, errors, and what is no message."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import JsonValue

from desktop.services.acp.wire import Wire, WireClosed, WireError
from desktop.services.peers.child import PeerChild
from desktop.services.peers.frames import MIB
from tests.peer_ground import Ear, bare_child

PEER = Path(__file__).parents[2] / "fakes" / "acp_peer.py"
LIMIT_S = 25.0
pytestmark = pytest.mark.asyncio


class Talk:
    """A wire to a peer, being read."""

    def __init__(self, child: PeerChild) -> None:
        self.child, self.ear = child, Ear()
        self.wire = Wire(child.frames, child, self.ear)
        self.reading = asyncio.create_task(self.wire.run())

    async def ask(self, name: str, **params: JsonValue) -> JsonValue:
        return await self.wire.request(name, params, limit_s=LIMIT_S)

    async def raw(self, text: str, times: int = 1) -> JsonValue:
        return await self.ask("raw", text=text, times=times)

    async def close(self) -> None:
        self.wire.close()
        await self.reading
        await self.child.close()


@pytest_asyncio.fixture
async def talk(tmp_path: Path) -> AsyncIterator[Talk]:
    made = Talk(await bare_child(tmp_path, sys.executable, str(PEER)))
    yield made
    await made.close()


async def test_a_request_is_answered_with_what_was_sent(talk: Talk) -> None:
    said: JsonValue = {"text": "grün \U0001f600 \ud83d \x00", "list": [1, 2.5, None, True]}
    assert await talk.wire.request("echo", said, limit_s=LIMIT_S) == {**said, "text": "grün \U0001f600 ? \x00"}


async def test_an_error_comes_as_what_it_is(talk: Talk) -> None:
    with pytest.raises(WireError, match=r"Sign in\.") as caught:
        await talk.ask("error")
    assert (caught.value.code, caught.value.data) == (-32000, {"how": "here"})


@pytest.mark.promise("guests-A5")
async def test_an_answer_comes_after_every_message_before_it_and_before_all_later_ones(talk: Talk) -> None:
    notes = "".join(json.dumps({"jsonrpc": "2.0", "method": "note", "params": n}) + "\n" for n in range(2_000))
    answer = json.dumps({"jsonrpc": "2.0", "id": 1, "result": "now"}) + "\n"
    asked = asyncio.create_task(_then_count(talk))
    await asyncio.sleep(0)
    await talk.raw(notes + answer + notes)
    assert await asked == 2_000
    assert [params for _, params in talk.ear.heard] == [*range(2_000), *range(2_000)]


async def _then_count(talk: Talk) -> int:
    assert await talk.ask("slow") == "now"
    return len(talk.ear.heard)


async def test_a_request_may_wait_for_a_person_while_others_go_on(talk: Talk) -> None:
    waiting = asyncio.create_task(talk.ask("ask", method="wait", params={"card": 1}))
    assert await talk.ask("ask", method="other", params=[2]) == {"result": {"you said": [2]}}
    assert not waiting.done()
    talk.ear.go.set()
    assert await waiting == {"result": {"you said": {"card": 1}}}


async def test_cancelled_requests_are_answered_before_what_is_sent_next(talk: Talk) -> None:
    waiting = [asyncio.create_task(talk.ask("ask", method="wait", params=n)) for n in range(2)]
    while len(talk.ear.heard) < 2:
        await asyncio.sleep(0.01)
    await talk.wire.cancel_requests()
    talk.wire.notify("session/cancel", {})
    heard = await talk.ask("heard")
    assert isinstance(heard, list)
    cancelled = {"code": -32800, "message": "Cancelled."}
    assert sorted(heard[2:4], key=str) == [{"id": f"q{number}", "error": cancelled} for number in (1, 2)]
    assert heard[4:] == ["session/cancel", "heard"]
    assert await asyncio.gather(*waiting) == [{"error": cancelled}] * 2


async def test_an_open_request_is_found_by_its_id_alone_and_answered_by_the_error_once_it_is_cancelled(
    talk: Talk,
) -> None:
    waiting = asyncio.create_task(talk.ask("ask", method="wait", params=0))
    while not talk.ear.heard:
        await asyncio.sleep(0.01)
    assert [talk.wire.open_request(other) for other in ("q2", 1, True, None, ["q1"])] == [None] * 5
    carries = talk.wire.open_request("q1")
    assert carries is not None
    carries.cancel()
    assert await waiting == {"error": {"code": -32800, "message": "Cancelled."}}
    assert talk.wire.open_request("q1") is None


async def test_a_request_that_is_withdrawn_is_not_answered(talk: Talk) -> None:
    waiting = [asyncio.create_task(talk.ask("ask", method="wait", params=n)) for n in range(2)]
    while len(talk.ear.heard) < 2:
        await asyncio.sleep(0.01)
    talk.wire.withdraw("q1")
    talk.wire.withdraw("q9")
    talk.ear.go.set()
    assert await waiting[1] == {"result": {"you said": 1}}
    heard = await talk.ask("heard")
    assert isinstance(heard, list)
    assert heard[2:] == [{"id": "q2", "result": {"you said": 1}}, "heard"]
    waiting[0].cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


@pytest.mark.promise("guests-A7")
async def test_an_unknown_request_is_refused_and_a_failing_one_is_an_error(talk: Talk) -> None:
    unknown = await talk.ask("ask", method="no", params={})
    assert unknown == {"error": {"code": -32601, "message": "No such method."}}
    failed = await talk.ask("ask", method="broken", params={})
    assert failed == {"error": {"code": -32603, "message": "This failed."}}


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        ("", "The handler returned neither result nor error."),
        (', "error": null', "The handler returned neither result nor error."),
        (', "error": {"code": -32000, "message": " "}', "unknown error"),
        (', "error": {"code": -32000, "message": "no"}, "result": 1', "no"),
        (', "error": "it broke"', "it broke"),
    ],
)
async def test_an_answer_without_a_result_of_its_own_is_an_error_at_once(talk: Talk, answer: str, text: str) -> None:
    asked = asyncio.create_task(talk.ask("slow"))
    await asyncio.sleep(0)
    await talk.raw(f'{{"jsonrpc": "2.0", "id": 1{answer}}}\n')
    with pytest.raises(WireError) as caught:
        await asked
    assert caught.value.message == text
    assert talk.wire.bad == 0


async def test_a_late_answer_and_one_to_nothing_are_ignored(talk: Talk) -> None:
    with pytest.raises(TimeoutError):
        await talk.wire.request("slow", {}, limit_s=0.05)
    talk.wire.notify("go", {})
    await talk.raw('{"jsonrpc":"2.0","id":77,"result":1}\n{"jsonrpc":"2.0","id":"x","error":{}}\n')
    assert talk.wire.stray == 3
    assert await talk.ask("echo", n=1) == {"n": 1}


JUNK = (
    "starting…",
    "[]",
    "17",
    '"text"',
    "null",
    "{}",
    '{"id":1}',
    '{"id":[1],"method":"x"}',
    '{"id":true,"result":1}',
)
JUNK_2 = ('{"method":1}', '{"a":NaN,"method":"x"}', "\x00\x00", "{", '{"method":"x"', "\xff\xfe", "9" * 5_000)


@pytest.mark.promise("guests-A7")
@pytest.mark.parametrize("line", [*JUNK, *JUNK_2])
async def test_a_line_that_is_no_message_is_kept_and_skipped(talk: Talk, line: str) -> None:
    await talk.raw(line.encode("utf-8").decode("latin-1") + "\n")
    assert talk.ear.bad == [line[:200]]
    assert talk.ear.heard == []
    assert await talk.ask("echo", n=1) == {"n": 1}


@pytest.mark.promise("guests-A7")
async def test_twenty_bad_lines_are_kept_and_a_hundred_in_a_row_end_it(talk: Talk) -> None:
    await talk.raw("x" * 500 + "\n\n", times=99)
    assert (len(talk.ear.bad), talk.ear.bad[0], talk.wire.bad) == (20, "x" * 200, 99)
    with pytest.raises(WireClosed, match="100 lines in a row"):
        await talk.raw("log\n", times=100)
    await talk.reading
    assert talk.wire.problem == "It sent 100 lines in a row that are no messages."


@pytest.mark.promise("guests-A7")
async def test_a_message_of_more_than_16_mib_ends_it(talk: Talk) -> None:
    with pytest.raises(WireClosed, match="more than 16 MiB"):
        await talk.raw("x" * MIB, times=17)
    assert talk.ear.bad == []


async def test_a_message_just_below_16_mib_arrives(talk: Talk) -> None:
    length = 16 * MIB - 1_000
    await talk.ask("big", length=length)
    ((method, params),) = talk.ear.heard
    assert (method, len(str(params))) == ("big", length)


@pytest.mark.promise("guests-A7")
async def test_nesting_to_200_is_read_and_beyond_it_ends_it(talk: Talk) -> None:
    for depth in (198, 199):
        nested = "[" * depth + "]" * depth
        text = f'{{"jsonrpc":"2.0","method":"deep","params":{nested}}}\n'
        await talk.raw(text)
    assert len(talk.ear.heard) == 2
    with pytest.raises(WireClosed, match="more than 200 deep"):
        await talk.raw('{"jsonrpc":"2.0","method":"deep","params":' + "[" * 200 + "]" * 200 + "}\n")


async def test_nesting_without_end_ends_it(talk: Talk) -> None:
    with pytest.raises(WireClosed, match="more than 200 deep"):
        await talk.raw('{"method":' + "[" * 100_000 + "]" * 100_000 + "}\n")


async def test_a_flood_of_questions_ends_it(talk: Talk) -> None:
    line = '{"jsonrpc":"2.0","id":"x","method":"wait"}\n'
    with pytest.raises(WireClosed, match="more at once"):
        await talk.raw(line, times=257)


@pytest.mark.promise("guests-A7")
async def test_half_a_line_at_the_end_is_none_and_what_waited_is_told(talk: Talk) -> None:
    waiting = asyncio.create_task(talk.ask("slow"))
    await asyncio.sleep(0)
    talk.wire.notify("half", {})
    with pytest.raises(WireClosed):
        await waiting
    await talk.reading
    assert (talk.wire.problem, talk.ear.heard, talk.ear.bad) == ("", [], [])
    with pytest.raises(WireClosed):
        talk.wire.notify("echo", {})
