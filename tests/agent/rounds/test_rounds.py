"""Rounds of work on a pull request through a real engine: shown, launched, followed, paused and ended."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.rounds.launch import NotLaunched
from desktop.agent.rounds.plan import NEEDED
from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.events import SessionStarted, TurnStarted, UserMessage
from desktop.domain.gate.events import SandboxChosen, SessionTainted
from desktop.domain.pulls.updates import PullTransition
from desktop.domain.rounds import commands as c
from desktop.domain.rounds.items import LaunchChoice, PipelineRun, PipelineSettings
from desktop.domain.rounds.updates import InventoryChanged, ResolutionPreview, RoundChanged
from desktop.services.processes.sandbox.sandbox import Sandbox, SandboxOptions
from tests.agent.pr_rig import PullRig, pull_rig
from tests.agent.rig import folders_below
from tests.fakes.fake_model_api import FakeModelApi, text_turn
from tests.fakes.github.control import PullControl
from tests.fakes.github.stand_in import FakeGitHub
from tests.fakes.model_turns import HttpFailure

pytestmark = pytest.mark.asyncio
pytest_plugins = ("tests.fakes.github.plugin",)
BUG = "**Close the file**\nIt stays open when `read` fails."


class Rounds:
    """A lane with an open request, and what was told of its rounds last."""

    def __init__(self, pulls: PullRig, pull: PullControl) -> None:
        self.pulls, self.pull, self.lane_id = pulls, pull, pulls.lane.id
        self.parts = pulls.rig.engine.parts.reviews.rounds
        self.parts.rounds.poll_s = 3600.0
        self.parts.planner.tools = lambda mode: frozenset(NEEDED) if mode is not PermissionMode.PLAN else frozenset()

    def _last(self, kind: type) -> object:
        return next(update for update in reversed(self.pulls.rig.updates) if isinstance(update, kind))

    @property
    def shown(self) -> RoundChanged:
        told = self._last(RoundChanged)
        assert isinstance(told, RoundChanged)
        return told

    @property
    def states(self) -> dict[str, str]:
        told = self._last(InventoryChanged)
        assert isinstance(told, InventoryChanged)
        return {item.id.split(":")[0] + ":" + item.headline: item.state for item in told.items}

    async def preview(self, **choice: object) -> ResolutionPreview:
        command = c.PreviewResolution(lane_id=self.lane_id, choice=LaunchChoice.model_validate(choice))
        return await self.pulls.answer(command, ResolutionPreview)

    async def launch(self, **choice: object) -> str:
        """Begin a round as it was shown; its chat."""
        seen = await self.preview(**choice)
        assert not seen.problem, seen.problem
        session_id = new_session_id()
        command = c.LaunchResolution(
            lane_id=self.lane_id, session_id=session_id, digest=seen.digest, choice=seen.choice
        )
        assert await self.pulls.send(command) == []
        return session_id

    async def until(self, state: str) -> RoundChanged:
        def reached(updates: list[object]) -> RoundChanged | None:
            told = [update for update in updates if isinstance(update, RoundChanged)]
            return told[-1] if told and told[-1].run.state == state else None

        return await self.pulls.rig.until(reached)

    async def poll(self) -> RoundChanged:
        await self.parts.rounds.poll(self.lane_id)
        return self.shown


async def rounds_of(
    github: FakeGitHub, model_api: FakeModelApi, tmp_path: Path, sandbox: Sandbox | None = None
) -> Rounds:
    made = await pull_rig(github, folders_below(tmp_path / "home"), tmp_path, model_api.url, sandbox=sandbox)
    head = made.publish()
    pull = made.repo.open_pull(made.lane.branch, title="Fix line three")
    made.repo.workflow(head, jobs={"unit": "failure", "lint": "success"})
    pull.thread("app.py", 3, BUG, by="coderabbitai[bot]")
    pull.comment("Please rename the function", by="mona")
    await made.look()
    return Rounds(made, pull)


@pytest_asyncio.fixture
async def rounds(github: FakeGitHub, model_api: FakeModelApi, tmp_path: Path) -> AsyncIterator[Rounds]:
    made = await rounds_of(github, model_api, tmp_path)
    yield made
    await made.pulls.rig.engine.stop()


@pytest_asyncio.fixture
async def bare_rounds(github: FakeGitHub, model_api: FakeModelApi, tmp_path: Path) -> AsyncIterator[Rounds]:
    """On a computer that has no sandbox."""
    made = await rounds_of(github, model_api, tmp_path, Sandbox({}, SandboxOptions(tiers=())))
    yield made
    await made.pulls.rig.engine.stop()


async def test_items_are_shown_ignored_with_a_reason_and_restored(rounds: Rounds) -> None:
    pulls = rounds.pulls
    told = await pulls.answer(c.LoadInventory(lane_id=rounds.lane_id), InventoryChanged)
    assert rounds.states == {
        "check:unit": "new", "thread:Close the file": "new", "comment:Please rename the function": "new",
    }  # fmt: skip
    assert (told.availability.default, told.number) == ("both", rounds.pull.number)
    check = next(item.id for item in told.items if item.type == "check")
    ignore = c.SetItemState(lane_id=rounds.lane_id, item_ids=(check,), to="dismissed")
    assert "Say why" in str(await pulls.send(ignore))
    await pulls.send(ignore.model_copy(update={"reason": "flaky", "command_id": "cmd_2"}))
    assert rounds.states["check:unit"] == "dismissed"
    await pulls.answer(c.RefreshInventory(lane_id=rounds.lane_id), InventoryChanged)
    assert rounds.states["check:unit"] == "dismissed"
    await pulls.send(c.SetItemState(lane_id=rounds.lane_id, item_ids=(check,), to="new"))
    assert rounds.states["check:unit"] == "new"
    chosen = PipelineSettings(auto_round=True, max_rounds=2)
    await pulls.send(c.SetPipeline(lane_id=rounds.lane_id, settings=chosen))
    assert (rounds.shown.settings, rounds.shown.run.state) == (chosen, "idle")
    wrong = c.SetItemState(lane_id=rounds.lane_id, item_ids=("check:other",), to="new")
    assert "not in the list" in str(await pulls.send(wrong))


@pytest.mark.promise("lanes-P27")
async def test_what_stands_against_a_round_is_told_before_there_is_a_chat(rounds: Rounds) -> None:
    assert (await rounds.preview(mode="plan")).problem.endswith("is not offered in plan mode here.")
    assert (await rounds.preview()).modes == (PermissionMode.EDIT, PermissionMode.FULL_AUTO)
    assert (await rounds.preview(endpoint_id="nowhere")).problem
    assert (await rounds.preview(item_ids=("check:none",))).problem == "Nothing is ticked."
    rounds.parts.planner.tools = lambda mode: frozenset(NEEDED[:-1])
    assert (await rounds.preview()).problem == "push_lane is not offered in edit mode here."
    rounds.parts.planner.tools = lambda mode: frozenset(NEEDED)
    (rounds.pulls.folder / "app.py").write_text("changed\n")
    dirty = await rounds.preview()
    assert "not committed" in dirty.problem
    assert dirty.digest == ""
    refused = c.LaunchResolution(lane_id=rounds.lane_id, session_id=new_session_id(), digest="", choice=dirty.choice)
    assert "not committed" in str(await rounds.pulls.send(refused))
    assert not rounds.pulls.rig.events(SessionStarted)


async def test_full_auto_without_a_sandbox_needs_the_persons_word_and_rounds_by_themselves_have_none(
    bare_rounds: Rounds, model_api: FakeModelApi
) -> None:
    rounds = bare_rounds
    model_api.script(text_turn("I looked, and there is nothing to do."))
    asked = await rounds.preview(mode="full-auto")
    assert (asked.asks_sandbox, asked.digest) == (True, "")
    given = await rounds.preview(mode="full-auto", without_sandbox=True)
    assert (given.asks_sandbox, given.problem) == (False, "")
    book, key = rounds.parts.book, rounds.parts.book.own(rounds.lane_id).key
    book.save_run(rounds.lane_id, key, PipelineRun(state="polling", poller="scheduled", choice=given.choice))
    with pytest.raises(NotLaunched, match="needs your word again"):
        await rounds.parts.rounds.launch(rounds.lane_id, given.choice, new_session_id(), None)
    assert not rounds.pulls.rig.events(SessionStarted)
    session_id = await rounds.launch(mode="full-auto", without_sandbox=True)
    await rounds.until("polling")
    (chosen,) = rounds.pulls.rig.events(SandboxChosen)
    assert (session_id, chosen.level) == (rounds.shown.run.session_id, "none")


async def test_the_prompt_that_was_shown_is_sent_and_a_changed_one_is_shown_again(
    rounds: Rounds, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("I looked, and there is nothing to do."))
    seen = await rounds.preview(instructions="Keep the API.\n")
    rounds.pull.thread("app.py", 5, "**Another one**", by="mona")
    session_id = new_session_id()
    command = c.LaunchResolution(lane_id=rounds.lane_id, session_id=session_id, digest=seen.digest, choice=seen.choice)
    late = command.model_copy(update={"choice": LaunchChoice(instructions="Keep the API.\n")})
    assert "Something changed" in str(await rounds.pulls.send(late))
    assert not rounds.pulls.rig.events(SessionStarted)
    again = rounds._last(ResolutionPreview)
    assert isinstance(again, ResolutionPreview)
    assert "Another one" in again.prompt
    bound = command.model_copy(update={"digest": again.digest, "choice": again.choice, "command_id": "cmd_again"})
    assert await rounds.pulls.send(bound) == []
    await rounds.until("polling")
    (started,) = rounds.pulls.rig.events(SessionStarted)
    assert (started.surface, started.lane_id) == ("resolver", rounds.lane_id)
    session = rounds.pulls.rig.engine.sessions.get(session_id)
    assert session.state.title == "PR #1 round 1"
    assert session.state.tainted == ("github:octo/shop#1",)
    assert len(rounds.pulls.rig.events(SessionTainted)) == 1
    message = rounds.pulls.rig.events(UserMessage)[0]
    assert message.parts[0]["text"] == again.prompt
    assert again.prompt in str(model_api.requests[0].messages[0]["content"][0]["text"])
    assert set(rounds.states.values()) == {"sent_to_agent"}
    record = rounds.shown.rounds[0]
    assert (record.number, record.sent, record.session_id, record.state) == (1, 4, session_id, "waiting")
    assert rounds.shown.run.round == 1


@pytest.mark.promise("lanes-P29")
async def test_a_chat_that_never_got_an_answer_leaves_its_items_new(rounds: Rounds, model_api: FakeModelApi) -> None:
    model_api.script(HttpFailure(400, "invalid_request_error", "no such model"))
    await rounds.launch()
    failed = await rounds.until("failed")
    assert (failed.rounds[0].state, failed.next_round) == ("failed", 2)
    assert set(rounds.states.values()) == {"new"}
    model_api.script(text_turn("done"))
    await rounds.launch()
    assert [one.state for one in (await rounds.until("polling")).rounds] == ["failed", "waiting"]


async def test_what_a_round_left_undone_is_new_again_and_pauses_without_auto_rounds(
    rounds: Rounds, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("done"), text_turn("done"))
    await rounds.launch()
    await rounds.until("polling")
    waited = await rounds.poll()
    assert (waited.run.state, waited.run.poller) == ("polling", "waiting_for_comments")
    paused = await rounds.poll()
    assert (paused.run.state, paused.run.reason) == ("paused", "2 new: start the next round when you want it")
    assert (paused.rounds[0].state, paused.rounds[0].returned, paused.rounds[0].fixed) == ("done", 2, 0)
    told = [update.text for update in rounds.pulls.rig.updates if isinstance(update, PullTransition)]
    assert told[-1] == "Rounds of #1 are paused: 2 new: start the next round when you want it"
    await rounds.launch()
    second = await rounds.until("polling")
    assert [(one.number, one.sent) for one in second.rounds] == [(1, 3), (2, 2)]
    assert "Round: 2 of 5" in str(model_api.requests[-1].messages[0]["content"])


@pytest.mark.promise("lanes-P24")
async def test_work_that_is_not_pushed_pauses_and_resuming_goes_on(rounds: Rounds, model_api: FakeModelApi) -> None:
    model_api.script(text_turn("done"))
    await rounds.launch(scope="comments")
    rounds.pulls.commit("work\n")
    paused = await rounds.until("paused")
    assert paused.run.reason == "1 commit is not pushed."
    assert (paused.rounds[0].files, len(paused.rounds[0].commits)) == (1, 1)
    head = rounds.pulls.publish()
    rounds.pulls.repo.workflow(head, jobs={"unit": "success", "lint": "success"})
    for thread in list(rounds.pull.value.threads):
        rounds.pull.resolve(thread)
    assert await rounds.pulls.send(c.ResumeResolution(lane_id=rounds.lane_id)) == []
    await rounds.poll()
    await rounds.poll()
    assert (await rounds.poll()).run.state == "converged"
    assert rounds.states["check:unit"] == "fixed"
    assert rounds.shown.rounds[0].fixed == 1


async def test_rounds_follow_one_another_up_to_the_limit(rounds: Rounds, model_api: FakeModelApi) -> None:
    await rounds.pulls.send(
        c.SetPipeline(lane_id=rounds.lane_id, settings=PipelineSettings(auto_round=True, max_rounds=2))
    )
    model_api.script(text_turn("done"), text_turn("done again"))
    await rounds.launch()
    await rounds.until("polling")
    await rounds.poll()
    await rounds.poll()
    await rounds.until("polling")
    assert [one.number for one in rounds.shown.rounds] == [1, 2]
    assert len(rounds.pulls.rig.events(TurnStarted)) == 2
    await rounds.poll()
    paused = await rounds.poll()
    assert (paused.run.state, paused.run.round) == ("paused", 2)
    assert paused.run.reason == "two rounds in a row fixed nothing"
    assert len({one.session_id for one in paused.rounds}) == 2


async def test_stopping_ends_the_turn_and_merging_outside_ends_the_rounds(
    rounds: Rounds, model_api: FakeModelApi
) -> None:
    model_api.script(text_turn("slow", delay_s=30.0))
    await rounds.launch()
    await asyncio.to_thread(model_api.wait_for_requests, 1)
    seen = await rounds.preview()
    assert seen.problem == "A resolution chat for this pull request is already running."
    assert await rounds.pulls.send(c.StopResolution(lane_id=rounds.lane_id)) == []
    assert (rounds.shown.run.state, rounds.shown.rounds[0].state) == ("stopped", "stopped")
    assert rounds.shown.rounds[0].ended_at is not None
    assert not rounds.pulls.rig.engine.sessions.running()
    assert await rounds.pulls.send(c.ResumeResolution(lane_id=rounds.lane_id)) == []
    rounds.pull.merge()
    assert (await rounds.poll()).run.state == "merged"
