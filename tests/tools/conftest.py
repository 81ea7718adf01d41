"""A real lane in a real repository, and the real context that handlers get."""

import asyncio
import os
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio

from desktop.domain.core.ids import new_session_id
from desktop.domain.core.permissions import PermissionMode
from desktop.domain.gate.pending import Answer, InputRequest
from desktop.services.files.lane_files import LaneFiles
from desktop.services.processes.session import Processes
from desktop.store.database import SqliteStore, open_store
from desktop.tools.registry import Registry, discover, parse_args
from desktop.tools.tool import ReadRecords, SessionFacts, ToolContext, ToolResult


@dataclass
class Bench:
    """Calls tools as the tool caller does, without the gate. `answers` are given in order; `asked` keeps requests."""

    root: Path
    registry: Registry
    context: ToolContext
    answers: list[Answer] = field(default_factory=list)
    asked: list[InputRequest] = field(default_factory=list)
    shown: list[tuple[str, int]] = field(default_factory=list)

    async def call(self, name: str, **arguments: Any) -> ToolResult:
        tool = self.registry.resolve(name)
        assert tool is not None
        args = parse_args(tool, arguments)
        assert tool.card(args).title == tool.card(args).title.splitlines()[0]
        return await tool.run(args, self.context)

    def write(self, path: str, content: str | bytes) -> Path:
        file = self.root / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def with_session(self, **changes: Any) -> None:
        self.context = replace(self.context, session=replace(self.context.session, **changes))

    def knows(self, *hashes: str) -> None:
        self.context = replace(self.context, blob_ids=frozenset(hashes))


@pytest.fixture(scope="session")
def registry() -> Registry:
    return discover()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[SqliteStore]:
    opened = open_store(tmp_path / "store")
    yield opened
    opened.close()


@pytest.fixture
def lane_root(tmp_path: Path) -> Path:
    root = tmp_path / "lane"
    root.mkdir()
    subprocess.run(["git", "init", "-q", "-b", "main", str(root)], check=True)
    return root


@pytest.fixture
def tool_context(lane_root: Path, store: SqliteStore) -> ToolContext:
    async def unanswered(request: InputRequest) -> Answer:
        return Answer(outcome="cancelled")

    session_id = new_session_id()  # no two runs on one machine may take each other's processes for their own
    return ToolContext(
        session_id=session_id,
        call_id="toolu_1",
        lane_name="lane",
        files=LaneFiles(lane_root, name="lane"),
        processes=Processes(session_id, os.environ, lane_root=lane_root),
        blobs=store.blobs,
        reads=ReadRecords(),
        session=SessionFacts(PermissionMode.EDIT, None, "", False, ()),
        ask=unanswered,
        progress=lambda tail, size: None,
        can_ask=True,
        blob_ids=frozenset(),
    )


@pytest_asyncio.fixture
async def bench(lane_root: Path, registry: Registry, tool_context: ToolContext) -> AsyncIterator[Bench]:
    made = Bench(lane_root, registry, tool_context)

    async def ask(request: InputRequest) -> Answer:
        made.asked.append(request)
        await asyncio.sleep(0)
        return made.answers.pop(0)

    made.context = replace(tool_context, ask=ask, progress=lambda tail, size: made.shown.append((tail, size)))
    yield made
    await made.context.processes.stop_all()
