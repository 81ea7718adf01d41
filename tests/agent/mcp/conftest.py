from collections.abc import AsyncIterator
from pathlib import Path

import pytest_asyncio

from tests.agent.mcp.lives import Lives


@pytest_asyncio.fixture
async def lives(tmp_path: Path) -> AsyncIterator[Lives]:
    made = Lives(tmp_path)
    yield made
    await made.close()
