"""What real agents said once (`tests/guests/record.py`): right by the protocol's schema, and said again to us."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from desktop.agent.guests.starting.launching import GuestWords
from desktop.config.folders import Folders, resource_folder
from desktop.domain.commands import SendMessage
from desktop.domain.core.permissions import PermissionMode, Verdict
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import AssistantMessage, InputRequested, ToolCallDecided, ToolCallFinished, UserMessage
from desktop.domain.gate.pending import Answer
from desktop.domain.guests.events import GuestSessionBegan
from desktop.domain.history.state_of import message_text
from desktop.services.acp.wire import WireHandler
from desktop.services.guests.registry import FILE, read_registry
from tests.agent.gate_rig import ONCE
from tests.agent.guest_rig import MIB, PlainGuest, ScriptedGuests
from tests.agent.rig import Rig
from tests.agent.wholeness import follows, whole
from tests.fakes.acp_schema import problems

FAKES = Path(__file__).parents[2] / "fakes"
GUESTS = ("claude", "codex", "gemini")
BESIDE_THE_PROTOCOL = {"claude": {"_auth/status_update"}}
"""Notifications of an agent's own, which are ignored."""
VERSIONS = {"claude": "0.101.0", "codex": "0.16.0", "gemini": "0.61.0"}
TOLD = {"claude": "told", "codex": "told", "gemini": "(the agent reports no output)"}
NAMES_MODEL = ("claude", "codex", "gemini")
TODOS = ("claude", "codex")


def trace(guest_id: str) -> list[dict[str, Any]]:
    lines = (FAKES / "acp" / "traces" / f"{guest_id}.jsonl").read_text(encoding="utf-8").splitlines()
    return [json.loads(line) for line in lines]


@pytest.mark.promise("guests-A59")
@pytest.mark.promise("guests-A6")
@pytest.mark.parametrize("guest_id", GUESTS)
def test_every_message_is_right_by_the_schema_of_the_protocol(guest_id: str) -> None:
    asked: dict[tuple[str, str], str] = {}
    wrong: list[str] = []
    for one in trace(guest_id):
        message, of = one["message"], json.dumps(one["message"].get("id"))
        method = message.get("method")
        if method in BESIDE_THE_PROTOCOL.get(guest_id, ()):
            continue
        if method is not None and "id" in message:
            asked[one["to"], of] = method
            wrong += problems(method, "Request", message.get("params"))
        elif method is not None:
            wrong += problems(method, "Notification", message.get("params"))
        elif "result" in message:
            other = "us" if one["to"] == "guest" else "guest"
            wrong += problems(asked[other, of], "Response", message["result"])
    assert wrong == []


@pytest.mark.promise("guests-A10")
@pytest.mark.parametrize("guest_id", GUESTS)
def test_each_was_told_of_its_lane_by_its_whole_path_and_of_its_servers(guest_id: str) -> None:
    (new,) = [one["message"]["params"] for one in trace(guest_id) if one["message"].get("method") == "session/new"]
    assert new["cwd"] == "/lane"
    assert [server["name"] for server in new["mcpServers"]] == ["banksman"]


class ReplayedGuests(ScriptedGuests):
    """The starter of a guest that says again what an agent said."""

    def plays(self, guest_id: str) -> None:
        """Say what this one said, with the words that its table has of it."""
        known = read_registry(resource_folder() / FILE, self.folder / FILE).row(guest_id)
        assert known is not None
        row = known
        self.trace = FAKES / "acp" / "traces" / f"{guest_id}.jsonl"
        self.known = GuestWords(
            id=row.id,
            label=row.label,
            asking_mode=row.asking_mode,
            plan_mode=row.plan_mode,
            command_from=row.command_from,
            writes_unasked=row.writes_unasked,
            confirms_mode=row.confirms_mode,
            taken=row.taken,
        )

    async def start(
        self, guest_id: str, chat_id: str, lane_root: Path, handler: WireHandler, shown: tuple[Path, ...] = ()
    ) -> PlainGuest:
        pipe = asyncio.subprocess.PIPE
        words = (sys.executable, str(FAKES / "replayed_agent.py"), str(self.trace))
        process = await asyncio.create_subprocess_exec(*words, stdin=pipe, stdout=pipe, cwd=lane_root, limit=32 * MIB)
        guest = PlainGuest(process, handler)
        self.started.append(guest)
        return guest


@pytest_asyncio.fixture(params=GUESTS)
async def replayed(
    request: pytest.FixtureRequest, tmp_path: Path, folders: Folders, repository: Path
) -> AsyncIterator[tuple[Rig, ReplayedGuests]]:
    (tmp_path / "guest").mkdir()
    guests = ReplayedGuests(tmp_path / "guest")
    guests.plays(request.param)
    rig = await Rig(folders, guests.options).open(repository)
    yield rig, guests
    await rig.engine.stop()


@pytest.mark.asyncio
@pytest.mark.promise("guests-A59")
@pytest.mark.promise("guests-A4")
@pytest.mark.promise("guests-A3")
async def test_what_it_said_is_a_chat_with_the_same_cards_and_results(replayed: tuple[Rig, ReplayedGuests]) -> None:
    rig, guests = replayed
    guest_id = guests.known.id
    session_id = await rig.new("Say that you are done.", PermissionMode.EDIT, driver=guest_id, without_sandbox=True)
    assert ((await rig.ended()).status, rig.failures()) == ("completed", [])
    (began,) = rig.events(GuestSessionBegan)
    assert (began.version, began.how) == (VERSIONS[guest_id], "new")
    await rig.engine.handle(SendMessage(session_id=session_id, text="a command, a file, todos"))
    card = await rig.asked()
    assert card.request.arguments["command"] == "touch made; echo told"
    await rig.answer(session_id, card, ONCE)
    assert (await rig.ended(2)).status == "completed"
    await rig.engine.handle(SendMessage(session_id=session_id, text="a command that may not run"))
    await rig.answer(session_id, await rig.asked(2), Answer(outcome="reject", note="not on a Friday"))
    assert (await rig.ended(3)).status == "completed"
    decided = [(one.tool, one.verdict) for one in rig.events(ToolCallDecided)]
    assert decided[0] == ("bash", Verdict.ASK)
    assert ("edit_file", Verdict.ALLOW) in decided
    assert decided[-1] == ("bash", Verdict.ASK)
    results = rig.events(ToolCallFinished)
    assert (results[0].outcome, str(results[0].content).strip("`\n").removeprefix("console\n")) == (
        "ok",
        TOLD[guest_id],
    )
    assert results[-1].outcome == "declined"
    assert len(rig.events(InputRequested)) == 2
    assert len(rig.events(TodosChanged)) == (guest_id in TODOS)
    assert {message_text(one) for one in rig.events(AssistantMessage)} == {"", "Done."}
    said = {(one.endpoint_id, bool(one.model)) for one in rig.events(AssistantMessage)}
    assert said == {(f"guest:{guest_id}", guest_id in NAMES_MODEL)}
    assert [one.note_kind for one in rig.events(UserMessage) if one.note_kind == "declined"] == ["declined"]
    assert guests.started[0].process.returncode is None
    assert guests.started[0].wire.bad == 0
    follows(rig, session_id)
    whole(rig, session_id)
