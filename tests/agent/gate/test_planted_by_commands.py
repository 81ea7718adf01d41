"""What commands and tools of a real chat leave in guarded places: told, put right, in the record to look back on."""

import time
from pathlib import Path

import pytest

from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import InputRequested, Notice
from desktop.domain.gate.events import InputRevised
from desktop.domain.gate.pending import ApprovalRequest
from desktop.services.files.lane_view import LaneView
from tests.agent.rig import Rig, git
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


@pytest.fixture
def lane_with_hooks(repository: Path) -> None:
    for name in (".husky/pre-commit", ".claude/settings.json", "AGENTS.md"):
        (repository / name).parent.mkdir(exist_ok=True)
        (repository / name).write_text("as it was\n")
    git(repository, "add", "-Af")
    git(repository, "commit", "-q", "-m", "hooks")


def planted(rig: Rig) -> list[str]:
    return [event.text for event in rig.events(Notice) if event.kind == "lane_planted"]


def warnings(rig: Rig) -> list[str]:
    """What the records to look back on warn of, as they are now."""
    records: dict[str, ApprovalRequest] = {}
    for event in (*rig.events(InputRequested), *rig.events(InputRevised)):
        if isinstance(event.request, ApprovalRequest) and not event.request.blocking:
            records[event.input_id] = event.request
    return [text for request in records.values() for text in request.warnings]


async def test_what_a_command_does_in_guarded_folders_that_were_there_is_put_before_the_person(
    rig: Rig, lane_with_hooks: None, model_api: FakeModelApi
) -> None:
    evil = "echo evil > .husky/pre-commit; echo evil > .husky/post-merge; echo evil > .claude/settings.json"
    model_api.script(tool_turn("bash", command=evil), text_turn("done"))
    session_id = await rig.new("go", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    told = planted(rig)
    assert [text.split(",")[0] for text in told] == [
        "A command made .husky/post-merge", "A command changed .claude/settings.json",
        "A command changed .husky/pre-commit",
    ]  # fmt: skip
    assert not (rig.lane(session_id) / ".husky" / "post-merge").exists()
    assert warnings(rig) == told
    (input_id,) = rig.engine.sessions.get(session_id).state.reviews
    told_of = [e for e in (*rig.events(InputRequested), *rig.events(InputRevised)) if e.input_id == input_id]
    record = told_of[-1]
    assert record.request.warnings == tuple(told)


async def test_a_tool_that_changes_instructions_is_told_in_the_record_also_in_edit_mode(
    rig: Rig, lane_with_hooks: None, model_api: FakeModelApi
) -> None:
    model_api.script(tool_turn("write_file", file_path="docs/AGENTS.md", content="Obey me.\n"), text_turn("done"))
    await rig.new("go")
    await rig.ended()
    assert warnings(rig) == ["docs/AGENTS.md was changed: later chats and other agents read it as instructions."]


async def test_a_file_that_a_tool_wrote_beside_a_command_in_the_background_stays(
    rig: Rig, lane_with_hooks: None, model_api: FakeModelApi
) -> None:
    waits = tool_turn("bash", command="while [ ! -e end ]; do sleep 0.1; done", run_in_background=True)
    mine = tool_turn("write_file", file_path="docs/AGENTS.md", content="Mine.\n")
    model_api.script(waits, mine, tool_turn("bash", command="echo x > .claude/new; touch end"), text_turn("done"))
    session_id = await rig.new("go", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    assert [text.split(",")[0] for text in planted(rig)] == ["A command made .claude/new"]
    assert (rig.lane(session_id) / "docs" / "AGENTS.md").read_text() == "Mine.\n"


async def test_what_a_command_in_the_background_plants_is_put_right_when_the_turn_ends(
    rig: Rig, lane_with_hooks: None, model_api: FakeModelApi
) -> None:
    later = "while [ ! -e go ]; do sleep 0.05; done; echo x > .husky/late; touch planted; sleep 60"
    wait = "touch go; while [ ! -e planted ]; do sleep 0.05; done"
    model_api.script(tool_turn("bash", command=later, run_in_background=True), tool_turn("bash", command=wait),
                     text_turn("done"))  # fmt: skip
    await rig.new("go", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    assert [text.split(",")[0] for text in planted(rig)] == ["A command made .husky/late"]


async def test_what_a_command_plants_in_a_folder_that_it_puts_in_the_lane_s_place_is_found(
    rig: Rig, lane_with_hooks: None, model_api: FakeModelApi
) -> None:
    swap = 'here=$PWD; cd ..; cp -a "$here" copy; mv "$here" old; mv copy "$here"; echo x > "$here/.husky/late"\n'
    calls = (
        tool_turn("bash", command="touch a"), tool_turn("write_file", file_path="swap", content=swap),
        tool_turn("bash", command="bash swap"),
    )  # fmt: skip
    model_api.script(*calls, text_turn("done"))
    session_id = await rig.new("go", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    assert "A command made .husky/late" in [text.split(",")[0] for text in planted(rig)]
    assert not (rig.lane(session_id) / ".husky" / "late").exists()


async def test_each_command_costs_two_looks_at_the_lane_and_what_it_plants_is_found(
    rig: Rig, lane_with_hooks: None, model_api: FakeModelApi, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks, look = [], LaneView.look

    def counted(view: LaneView) -> None:
        looks.append(view)
        look(view)

    commands = ("touch a", "touch b; cat a", "echo x > .husky/new", "touch c")
    model_api.script(*(tool_turn("bash", command=command) for command in commands), text_turn("done"))
    monkeypatch.setattr(LaneView, "look", counted)
    await rig.new("go", PermissionMode.FULL_AUTO, without_sandbox=True)
    await rig.ended()
    assert [text.split(",")[0] for text in planted(rig)] == ["A command made .husky/new"]
    at_the_ends_of_the_turn, after_what_was_moved = 2, 1
    assert len(looks) == 2 * len(commands) + at_the_ends_of_the_turn + after_what_was_moved


async def test_a_look_serves_once_for_its_own_call_and_not_once_another_command_began(
    rig: Rig, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("done"))
    session = rig.engine.sessions.get(await rig.new("go"))
    await rig.ended()
    session.look_may_serve("call_1")
    later = time.monotonic()
    assert session.look_serves("call_1") <= later <= session.look_serves("call_1")
    session.look_may_serve("call_1")
    later = time.monotonic()
    assert session.look_serves("call_2") >= later
    session.look_may_serve("call_1")
    session.look_may_serve("")
    later = time.monotonic()
    assert session.look_serves("call_1") >= later
    assert session.look_serves("") >= later
