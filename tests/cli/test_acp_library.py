"""A whole session at `banksman acp` with the protocol's own Python library as the editor."""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.acp_editor import LINE_BYTES, PROGRAM, WAIT_S, use_service
from tests.agent.rig import git, make_repository
from tests.cli.running import environment
from tests.fakes.acp_schema import problems
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn
from tests.forking import fork

acp = pytest.importorskip("acp", reason="the library of the protocol is not installed")


class Person:
    """Whoever sits at the editor: keeps what is shown, and answers with the options that a test names by title."""

    def __init__(self) -> None:
        self.shown: list[Any] = []
        self.asked: list[Any] = []
        self.picks: dict[str, str] = {}

    async def session_update(self, session_id: str, update: Any, **more: Any) -> None:
        self.shown.append(update)

    async def request_permission(self, session_id: str, tool_call: Any, options: Any, **more: Any) -> Any:
        self.asked.append((tool_call, options))
        option = next(one.option_id for one in options if one.name.startswith(self.picks[tool_call.title]))
        return {"outcome": {"outcome": "selected", "optionId": option}}

    def text(self) -> str:
        """All that the agent said."""
        said = [one for one in self.shown if one.session_update == "agent_message_chunk"]
        return "".join(one.content.text for one in said)


class Checked:
    """One process with the library on its pipes. What the agent writes is checked on its way."""

    def __init__(self, home: Path, folder: Path, person: Person) -> None:
        self.faults: list[str] = []
        self._home, self._folder, self._person = home, folder, person
        self._methods: dict[int, str] = {}

    async def __aenter__(self) -> Any:
        reading, writing = os.pipe()
        self.process = fork(PROGRAM, ["acp"], self._folder, environment(self._home), stdin=reading)
        os.close(reading)
        assert self.process.stdout is not None
        loop = asyncio.get_running_loop()
        raw, checked = asyncio.StreamReader(limit=LINE_BYTES), asyncio.StreamReader(limit=LINE_BYTES)
        self._pipe, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(raw), self.process.stdout)
        out, protocol = await loop.connect_write_pipe(
            lambda: asyncio.streams.FlowControlMixin(loop=loop), os.fdopen(writing, "wb", buffering=0)
        )
        writer = asyncio.StreamWriter(out, protocol, None, loop)
        send = writer.write
        writer.write = lambda data: send(self._noted(data))  # type: ignore[method-assign]
        self._writer = writer
        self._looking = asyncio.create_task(self._look(raw, checked))
        self.connection = acp.connect_to_agent(self._person, writer, checked)
        return self.connection

    async def __aexit__(self, *error: object) -> None:
        self._writer.close()
        await asyncio.wait_for(self._looking, WAIT_S)
        await self.connection.close()
        self._pipe.close()
        with self.process:
            self.process.wait(WAIT_S)
        assert self.faults == []

    def _noted(self, data: bytes) -> bytes:
        for line in data.splitlines():
            message = json.loads(line)
            if "method" in message and "id" in message:
                self._methods[message["id"]] = message["method"]
        return data

    async def _look(self, raw: asyncio.StreamReader, checked: asyncio.StreamReader) -> None:
        while line := await raw.readline():
            message = json.loads(line)
            method = message.get("method")
            if method is None and "result" in message:
                self.faults += problems(self._methods[message["id"]], "Response", message["result"])
            elif method is not None:
                part = "Request" if "id" in message else "Notification"
                self.faults += problems(method, part, message["params"])
            checked.feed_data(line)
        checked.feed_eof()


@pytest.mark.asyncio
@pytest.mark.promise("guests-R9")
async def test_a_whole_session_with_the_library(tmp_path: Path) -> None:
    """One edit, one command declined, one question, one plan, in a lane; then the chat is loaded by another process."""
    home, shop, person = tmp_path / "home", make_repository(tmp_path / "shop"), Person()
    person.picks = {"Plan to review": "Approve", "rm -rf build": "Decline", "Which?": "blue"}
    question = {"id": "colour", "question": "Which?", "options": [{"label": "red"}, {"label": "blue"}]}
    todos = [{"content": "Write", "status": "in_progress"}]
    done = [{"content": "Write", "status": "completed"}]
    with FakeModelApi() as api:
        use_service(home, api.url)
        api.script(
            tool_turn("todo_write", todos=todos),
            tool_turn("exit_plan_mode", plan="1. Write a file"),
            tool_turn("write_file", file_path="new.txt", content="one\n"),
            tool_turn("bash", command="rm -rf build"),
            tool_turn("ask_user", questions=[question]),
            tool_turn("todo_write", todos=done),
            text_turn("All is done."),
            text_turn("Welcome back."),
        )
        async with asyncio.timeout(WAIT_S), Checked(home, shop, person) as agent:
            greeted = await agent.initialize(protocol_version=1)
            assert (greeted.protocol_version, greeted.agent_capabilities.load_session) == (1, True)
            made = await agent.new_session(cwd=str(shop), mcp_servers=[])
            await agent.set_session_mode(session_id=made.session_id, mode_id="plan")
            ended = await agent.prompt(session_id=made.session_id, prompt=[acp.text_block("Work on it")])
            assert ended.stop_reason == "end_turn"
        assert person.text().endswith("All is done.")
        assert [call.title for call, _ in person.asked] == ["Plan to review", "rm -rf build", "Which?"]
        lane = Path(person.text().removeprefix("Working in ").partition(", on the branch")[0])
        assert (lane / "new.txt").read_text() == "one\n"
        assert git(lane, "status", "--porcelain").strip() == "?? new.txt"
        plans = [one for one in person.shown if one.session_update == "plan"]
        assert [one.entries[0].status for one in plans] == ["in_progress", "completed"]
        modes = [one.current_mode_id for one in person.shown if one.session_update == "current_mode_update"]
        assert modes == ["plan", "edit"]
        again = Person()
        async with asyncio.timeout(WAIT_S), Checked(home, shop, again) as agent:
            await agent.initialize(protocol_version=1)
            (listed,) = (await agent.list_sessions(cwd=str(shop))).sessions
            await agent.load_session(session_id=listed.session_id, cwd=listed.cwd, mcp_servers=[])
            assert again.text() == person.text()
            ended = await agent.prompt(session_id=listed.session_id, prompt=[acp.text_block("Go on")])
            assert ended.stop_reason == "end_turn"
            assert again.text().endswith("Welcome back.")
