import os
from collections.abc import AsyncIterator, Generator
from pathlib import Path

import pytest
import pytest_asyncio
from pydantic import SecretStr

from desktop.domain.commands import SaveKey
from tests.agent.credential_rig import file_keyring
from tests.agent.rig import folders_below, make_repository
from tests.agent.wholeness import whole
from tests.fakes.model_dialects import ModelDialects
from tests.guests.ground import GUESTS, INSTALLED, KEY, PROGRAMS, Ground


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    skip = pytest.mark.skip(reason="BANKSMAN_TEST_GUESTS names no folder of agents")
    for item in items:
        if item.get_closest_marker("guests") and not INSTALLED:
            item.add_marker(skip)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Where the agents are installed, a skip would look at nothing and say that all is well."""
    report = yield
    if INSTALLED and report.skipped and item.get_closest_marker("guests"):
        report.outcome = "failed"
        report.longrepr = f"Skipped, though the agents are installed: {report.longrepr}"
    return report


@pytest_asyncio.fixture(params=GUESTS)
async def ground(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Ground]:
    person = tmp_path / "person"
    person.mkdir()
    monkeypatch.setenv("PATH", os.pathsep.join((str(PROGRAMS), os.environ["PATH"])))
    monkeypatch.setenv("SHELL", "")
    monkeypatch.setenv("HOME", str(person))
    async with ModelDialects() as model:
        with file_keyring(tmp_path / "keyring.json"):
            made = Ground(request.param, folders_below(tmp_path / "home"), model, person)
            await made.rig.open(make_repository(tmp_path / "shop"))
            try:
                await made.rig.engine.handle(SaveKey(endpoint_id="fake", key=SecretStr(KEY)))
                await made.say("Say that you are done.")
                ended = await made.ended()
                assert (ended.status, ended.detail) == ("completed", "")
                yield made
                if not made.was_killed:  # of a call that was under way then nobody knows how it ended
                    whole(made.rig, made.session_id)
            finally:
                await made.rig.engine.stop()
            made.nothing_left()
