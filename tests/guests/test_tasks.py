"""Whole tasks of agents that people use, in chats of the real engine."""

import pytest

from desktop.domain.core.content import DiffBlock
from desktop.domain.core.work_events import TodosChanged
from desktop.domain.events import AssistantMessage, InputRequested, ToolCallDecided, UserMessage
from desktop.domain.gate.pending import Answer
from desktop.domain.guests.events import GuestNoticed, GuestSessionBegan
from desktop.domain.history.state_of import message_text
from tests.agent.rig import git
from tests.fakes.model_dialects import TEXT
from tests.guests.ground import KEY, Ground

pytestmark = [pytest.mark.asyncio, pytest.mark.guests, pytest.mark.timeout(400)]
NO = Answer(outcome="reject", note="not on a Friday")
SAYS_OUTPUT = ("claude", "codex")
TELLS_TODOS = ("claude", "codex")
HEARS_WHY = ("claude", "codex")
"""At once, as it takes a prompt meanwhile, or by one of its own, as its turn ends with the no."""


async def test_a_command_asks_runs_once_it_may_and_tells_what_came_of_it(ground: Ground) -> None:
    await ground.say("run-this: touch made; env > env.txt; echo told")
    card = await ground.card()
    assert not (ground.lane / "made").exists()
    ground.no_key_in_environments()
    await ground.rig.answer(ground.session_id, card, Answer(outcome="allow_once"))
    ended = await ground.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    assert (ground.lane / "made").exists()
    environment = (ground.lane / "env.txt").read_text()
    assert "PATH=" in environment
    assert KEY not in environment
    (result,) = ground.results()
    assert result.outcome == "ok"
    assert isinstance(result.content, str)
    assert result.content.strip().strip("`").removeprefix("console").strip() == (
        "told" if ground.guest_id in SAYS_OUTPUT else "(the agent reports no output)"
    )
    assert message_text(ground.of(AssistantMessage)[-1]) == TEXT
    assert ground.of(GuestSessionBegan)[0].guest_id == ground.guest_id


async def test_a_no_keeps_it_from_its_command_and_its_reason_is_told(ground: Ground) -> None:
    await ground.say("run-this: touch made")
    assert (await ground.ended(NO)).status == "completed"
    assert not (ground.lane / "made").exists()
    assert [one.outcome for one in ground.results()] == ["declined"]
    (told,) = [one for one in ground.of(UserMessage) if one.note_kind == "declined"]
    assert "not on a Friday" in message_text(told)
    assert any("not on a Friday" in one for one in ground.model.told) == (ground.guest_id in HEARS_WHY)
    await ground.say("Say that you are done.")
    await ground.ended()
    assert any("not on a Friday" in one for one in ground.model.told)


async def test_a_rule_for_the_chat_answers_the_next_equal_command(ground: Ground) -> None:
    await ground.say("run-this: touch made")
    await ground.ended(Answer(outcome="allow_always", scope="session"))
    (ground.lane / "made").unlink()
    asked = len(ground.of(InputRequested))
    await ground.say("run-this: touch made")
    assert (await ground.ended()).status == "completed"
    assert (ground.lane / "made").exists()
    assert len(ground.of(InputRequested)) == asked


async def test_what_it_changes_is_what_its_rows_show(ground: Ground) -> None:
    app, new = ground.lane / "app.py", ground.lane / "new.txt"
    await ground.say(
        f"read-this: {app}", f"edit-this: {app} => print('hello') => print('bye')", f"write-this: {new} => hello"
    )
    assert (await ground.ended()).status == "completed"
    assert (app.read_text(), new.read_text()) == ("print('bye')\n", "hello\n")
    touched = [file for one in ground.results() for file in one.touched]
    assert [(one.path, one.kind, one.added, one.removed) for one in touched] == [
        ("app.py", "modify", 1, 1), ("new.txt", "create", 1, 0)
    ]  # fmt: skip
    diffs = [block for one in ground.results() for block in one.blocks if isinstance(block, DiffBlock)]
    git(ground.lane, "add", "-A", "-N")
    for path in ("app.py", "new.txt"):
        (shown,) = [one.unified for one in diffs if one.path.endswith(path)]
        assert _lines(shown) == _lines(git(ground.lane, "diff", "--", path))
    changed = git(ground.lane, "status", "--porcelain").splitlines()
    assert sorted(line[3:] for line in changed) == ["app.py", "new.txt"]
    assert all(one.verdict == 0 for one in ground.of(ToolCallDecided))


async def test_its_todos_are_those_of_the_chat(ground: Ground) -> None:
    await ground.say("plan-this: look; do")
    assert (await ground.ended()).status == "completed"
    told = [[todo.content for todo in one.todos] for one in ground.of(TodosChanged)]
    assert told[-1:] == ([["look", "do"]] if ground.guest_id in TELLS_TODOS else [])


async def test_a_command_that_writes_and_reads_outside_of_the_lane_does_neither(ground: Ground) -> None:
    person, beside = ground.person, ground.lane.parent / "beside"
    line = f"touch {person}/made; echo x > {beside}; cat {person}/key {person}/.netrc > inside; touch ran"
    await ground.say(f"run-this: {line}")
    await ground.card()
    card = ground.of(InputRequested)[-1]
    assert line in card.model_dump_json().replace("\\\\", "")
    await ground.rig.answer(ground.session_id, card, Answer(outcome="allow_once"))
    await ground.ended()
    assert (ground.lane / "ran").exists()
    assert (ground.lane / "inside").read_text() == ""


async def test_a_file_outside_of_the_lane_is_not_read(ground: Ground) -> None:
    await ground.say(f"read-this: {ground.person}/key")
    await ground.ended()
    (result,) = ground.results()
    assert result.outcome in ("error", "refused")
    assert f"{ground.person}/key" in "".join(one.model_dump_json() for one in ground.of(ToolCallDecided)) + str(
        result.content
    )


async def test_a_file_outside_of_the_lane_is_not_written(ground: Ground) -> None:
    await ground.say(f"write-this: {ground.person}/made => hello")
    ended = await ground.ended()
    assert (ended.status, ended.detail) == ("completed", "")
    (result,) = ground.results()
    assert result.outcome in ("error", "refused")
    assert [one.kind for one in ground.of(GuestNoticed)] in ([], ["unasked"])


async def test_no_host_but_the_model_is_reached(ground: Ground) -> None:
    there = ground.model.base
    line = (
        f"curl -sS -m 9 http://example.org/; curl -sS -m 9 {there}/a; curl -sS -m 9 --noproxy '' {there}/b; touch ran"
    )
    await ground.say(f"run-this: {line}")
    await ground.ended()
    assert (ground.lane / "ran").exists()
    assert not [one for one in ground.model.asked if one.endswith(("/a", "/b"))]
    assert "was kept from example.org:80" in "".join(ground.texts())


def _lines(diff: str) -> list[str]:
    return [line for line in diff.splitlines() if line[:1] in "+-" and not line.startswith(("+++", "---"))]
