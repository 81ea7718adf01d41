"""A command that asks for hosts, from the model's words over the card to what it reached and what is on record."""

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from desktop.agent.options import EngineOptions
from desktop.domain.commands import CheckEdit, SendMessage
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.egress.events import EgressRecorded
from desktop.domain.events import InputRequested, InputResolved, Notice, ToolCallDecided, ToolCallFinished
from desktop.domain.gate.events import RuleSaved
from desktop.domain.gate.pending import Answer, ApprovalRequest, GrantScope
from desktop.domain.updates import EditChecked
from tests.agent.gate_rig import answer_with
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.services.egress.net import SITE, echo_server, local_egress, web_server

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="only bubblewrap keeps hosts apart"),
]
ONCE = Answer(outcome="allow_once")
LOOK = """
import sys, urllib.request
for host in sys.argv[1:]:
    try:
        print(urllib.request.urlopen(f"http://{host}/", timeout=10).read().decode())
    except Exception as error:
        print("kept from", host, getattr(error, "code", error))
"""


@pytest.fixture
def model_api() -> Iterator[FakeModelApi]:
    with FakeModelApi() as api:
        yield api


async def rig_of(tmp_path: Path, model_api: FakeModelApi) -> Rig:
    folders = folders_below(tmp_path / "home")
    write_settings(folders, model_api.url)
    rig = Rig(folders, replace(EngineOptions(), egress=local_egress()))
    return await rig.open(make_repository(tmp_path / "shop", {"look.py": LOOK}))


def request_of(rig: Rig, number: int = 0) -> ApprovalRequest:
    request = [one.request for one in rig.events(InputRequested) if one.request.blocking][number]
    assert isinstance(request, ApprovalRequest)
    return request


@pytest.mark.promise("guests-E5")
async def test_a_person_allows_hosts_once_and_what_was_reached_is_on_record(
    tmp_path: Path, model_api: FakeModelApi
) -> None:
    async with web_server(b"the page") as (port, _):
        site = f"{SITE}:{port}"
        model_api.script(
            tool_turn("bash", command=f"python3 look.py {site} other.example", hosts=site), text_turn("done")
        )
        rig = await rig_of(tmp_path, model_api)
        session_id = await rig.new("look", PermissionMode.FULL_AUTO, without_sandbox=True)
        asked = await rig.asked()
        request = request_of(rig)
        assert (request.rule, request.network, request.hosts) == ("sandbox_wider", "hosts", (site,))
        assert request.risk == "high"
        assert [(offer.scope, offer.hosts) for offer in request.grants] == [
            ("once", ()),
            ("session", (site,)),
            ("project", (site,)),
        ]
        await rig.answer(session_id, asked, ONCE)
        await rig.ended()
    (finished,) = rig.events(ToolCallFinished)
    assert "the page" in finished.content
    assert "kept from other.example 403" in finished.content
    assert "[the sandbox blocked: reaching other.example:80]" in finished.content
    recorded = await rig.until(lambda _: rig.events(EgressRecorded))
    reached = {one.host: one for one in recorded[0].traffic}
    assert (reached[SITE].kind, reached[SITE].connections, reached[SITE].port) == ("command", 1, port)
    assert reached[SITE].bytes_down > len("the page")
    assert reached["other.example"].refused == 1
    (notice,) = [one for one in rig.events(Notice) if one.kind == "egress"]
    assert "other.example:80" in notice.text
    await rig.engine.stop()


async def test_an_allowed_host_that_refuses_is_told_the_person_once_in_each_turn(
    tmp_path: Path, model_api: FakeModelApi
) -> None:
    async with echo_server() as port:
        pass
    site = f"{SITE}:{port}"
    look = tool_turn("bash", command=f"python3 look.py {site} {site}", hosts=site)
    model_api.script(look, text_turn("done"), look, text_turn("done again"))
    rig = await rig_of(tmp_path, model_api)
    session_id = await rig.new("look", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope="session"))
    await rig.ended()

    def told() -> list[tuple[str, str]]:
        return [(one.level, one.text) for one in rig.events(Notice) if one.kind == "egress"]

    words = ("warning", f"{site} is allowed, and could not be reached: connection refused.")
    assert told() == [words]
    await rig.engine.handle(SendMessage(session_id=session_id, text="once more"))
    await rig.ended(2)
    assert told() == [words, words]
    results = [one.content for one in rig.events(ToolCallFinished)]
    assert [one.count(f"kept from {site} 502") for one in results] == [2, 2]
    await rig.engine.stop()


@pytest.mark.promise("gate-W5")
@pytest.mark.parametrize("scope", ["session", "project"])
async def test_hosts_that_a_person_allows_for_longer_do_not_ask_again_and_others_do(
    tmp_path: Path, model_api: FakeModelApi, scope: str
) -> None:
    async with web_server(b"the page") as (port, _):
        site = f"{SITE}:{port}"
        model_api.script(
            tool_turn("bash", command=f"python3 look.py {site}", hosts=site),
            tool_turn("bash", command=f"python3 look.py {site} # again", hosts=site),
            tool_turn("bash", command=f"python3 look.py {site}", hosts=f"{site} www.{SITE}"),
            text_turn("done"),
        )
        rig = await rig_of(tmp_path, model_api)
        session_id = await rig.new("look", PermissionMode.FULL_AUTO, without_sandbox=True)
        await rig.answer(session_id, await rig.asked(), Answer(outcome="allow_always", scope=scope))
        second = await rig.asked(2)
        assert request_of(rig, 1).hosts == (site, f"www.{SITE}")
        await rig.answer(session_id, second, Answer(outcome="reject"))
        await rig.ended()
    (rule,) = [one.rule for one in rig.events(RuleSaved)]
    assert (rule.kind, rule.host, rule.ports, rule.scope) == ("network", SITE, (port,), scope)
    decided = rig.events(ToolCallDecided)
    assert [one.verdict.name for one in decided] == ["ASK", "ALLOW", "ASK"]
    assert SITE in decided[1].reason
    assert [one.outcome for one in rig.events(ToolCallFinished)][:2] == ["ok", "ok"]
    await rig.engine.stop()


@pytest.mark.promise("gate-G27")
@pytest.mark.parametrize("scope", ["once", "session", "project"])
async def test_a_card_offers_the_command_with_the_host_that_it_names(
    tmp_path: Path, model_api: FakeModelApi, scope: GrantScope
) -> None:
    async with web_server(b"the page") as (port, _):
        site = f"{SITE}:{port}"
        command = f"python3 look.py {site} other.example # https://{site}/index"
        calls = [tool_turn("bash", command=command), tool_turn("bash", command=f"{command}?2", hosts=site)]
        model_api.script(*calls, text_turn("done"))
        rig = await rig_of(tmp_path, model_api)
        session_id = await rig.new("look")
        asked = await rig.asked()
        offer = request_of(rig).network_offer
        assert offer is not None
        assert (offer.hosts, request_of(rig).network) == ((site,), "off")
        assert offer.says[0] == f"It may reach {site}."
        assert [one.scope for one in offer.grants] == ["session", "project"]
        outcome = "allow_once" if scope == "once" else "allow_always"
        taken = Answer(outcome=outcome, scope=scope, edited_input=offer.edited_input)
        own = Answer(outcome=outcome, scope=scope, edited_input={**offer.edited_input, "hosts": "evil.example"})
        for answer, digest in ((taken, request_of(rig).digest), (own, offer.digest)):
            await answer_with(rig, session_id, asked, answer, digest)
        assert {failure.code for failure in rig.failures()} == {"digest_differs"}
        assert rig.events(InputResolved) == []
        await answer_with(rig, session_id, asked, taken, offer.digest)
        again = await rig.asked(2)
        assert request_of(rig, 1).network_offer is None
        assert request_of(rig, 1).rule == ("mode" if scope != "once" else "sandbox_wider")
        await rig.answer(session_id, again, Answer(outcome="reject"))
        await rig.ended()
    text = rig.events(ToolCallFinished)[0].content
    assert "the page" in text
    assert "kept from other.example 403" in text
    assert [rule.rule.scope for rule in rig.events(RuleSaved)] == ([] if scope == "once" else [scope])
    await rig.engine.stop()


async def test_a_person_narrows_the_network_to_hosts_on_the_card(tmp_path: Path, model_api: FakeModelApi) -> None:
    async with web_server(b"the page") as (port, _):
        site = f"{SITE}:{port}"
        command = f"python3 look.py {site} other.example"
        model_api.script(tool_turn("bash", command=command, network=True), text_turn("done"))
        rig = await rig_of(tmp_path, model_api)
        session_id = await rig.new("look")
        asked = await rig.asked()
        edited = {**request_of(rig).arguments, "network": False, "hosts": site}
        check = CheckEdit(session_id=session_id, input_id=asked.input_id, edited_input=edited)
        await rig.engine.handle(check)
        (checked,) = [one for one in rig.updates if isinstance(one, EditChecked)]
        assert checked.request is not None
        assert (checked.request.network, checked.request.hosts) == ("hosts", (site,))
        answer = Answer(outcome="allow_once", edited_input=edited)
        again = asked.model_copy(update={"request": checked.request})
        await rig.answer(session_id, again, answer)
        await rig.ended()
    text = rig.events(ToolCallFinished)[0].content
    assert "the page" in text
    assert "kept from other.example 403" in text
    assert rig.events(InputResolved)[0].answer.outcome == "allow_once"
    await rig.engine.stop()
