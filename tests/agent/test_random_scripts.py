"""Any script of turns, answers, stops, rewinds, forks, summaries and restarts leaves whole logs: one result for each
call, no effect twice, and what was held in memory is what the stored log gives.

A few scripts, drawn anew in each run of the tests; BANKSMAN_SCRIPTS=500 in the environment plays as many as one says.
"""

import asyncio
import os
import tempfile
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from desktop.domain.chats.queue_events import Limits
from tests.agent.rig import Rig, folders_below, make_repository, write_settings
from tests.agent.script_player import STEPS, Player
from tests.fakes.fake_model_api import Call, FakeModelApi, http_failure, text_turn, turn
from tests.validity import faults

EXAMPLES = int(os.environ.get("BANKSMAN_SCRIPTS", "8"))
CALLS = (
    Call("read_file", {"file_path": "app.py"}),
    Call("read_file", {"file_path": "missing"}),
    Call("list_dir"),
    Call("bash", {"command": "echo run >> runs"}),
    Call("bash", {"command": "cat app.py"}),
    Call("write_file", {"file_path": "new.txt", "content": "new"}),
    Call("write_file", {"file_path": ".env", "content": "x"}),
    Call("ask_user", {"question": "Which?"}),
    Call("exit_plan_mode", {"plan": "1. Do it"}),
    Call("no_such_tool"),
    Call("read_file", raw='{"file_path": '),
    Call("set_chat_summary", {"summary": "A title"}),
)
ANSWERS = st.one_of(
    st.lists(st.sampled_from(CALLS), min_size=1, max_size=4).map(lambda calls: turn("calls", list(calls))),
    st.just(text_turn("words")),
    st.just(text_turn("cut in the middle of it", fault="drop_in_text")),
    st.just(http_failure(400, "invalid_request_error")),
    st.just(turn("", thinking="hm")),
)
STEP = st.tuples(st.sampled_from(STEPS), st.booleans())


async def play(folder: Path, api: FakeModelApi, answers: list[Any], steps: list[tuple[str, bool]], seed: int) -> None:
    """Run the script in a new store and look at what is left, before and after a restart."""
    folders = folders_below(folder / "home")
    write_settings(folders, api.url, max_attempts=1, limits=Limits(steps=6))
    api.script(*answers, loop=True)
    repository = make_repository(folder / "shop")
    player = Player(await Rig(folders).open(repository), repository, seed)
    try:
        await player.begin("Begin")
        for step, background in steps:
            await player.play(step, background=background)
        await player.rest()
        player.look()
        await player.restart()
        player.look()
    finally:
        await player.rig.engine.stop()


PHASES = (Phase.explicit, Phase.reuse, Phase.generate)  # shrinking what meets itself half-way takes minutes


@settings(max_examples=EXAMPLES, phases=PHASES, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    answers=st.lists(ANSWERS, min_size=1, max_size=4),
    steps=st.lists(STEP, min_size=4, max_size=24),
    seed=st.integers(0, 99),
)
@pytest.mark.timeout(120 + 5 * EXAMPLES)
def test_any_script_leaves_whole_logs_that_say_what_was_so(
    answers: list[Any], steps: list[tuple[str, bool]], seed: int
) -> None:
    with tempfile.TemporaryDirectory() as folder, FakeModelApi() as api:
        asyncio.run(play(Path(folder), api, answers, steps, seed))
        assert not [fault for request in api.requests for fault in faults(request.messages)]
