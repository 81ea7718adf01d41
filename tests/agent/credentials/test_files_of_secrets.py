"""A secret that a command is given as a file: its owner's alone, and gone with the command."""

import subprocess
import sys
from pathlib import Path

import pytest

from desktop.config.folders import Folders
from desktop.domain.commands import StopShell
from desktop.domain.credentials.commands import RevokeCredential
from desktop.domain.credentials.updates import CredentialsChanged
from desktop.domain.events import ToolCallFinished
from tests.agent.credential_rig import VALUE, allow, given, say, use
from tests.agent.rig import Rig
from tests.fakes.fake_model_api import FakeModelApi, text_turn, tool_turn

pytestmark = pytest.mark.asyncio


FILE = 'stat -c %a "$KEY"; cat "$KEY" | wc -c; echo "$KEY" > place'


def laid_out(rig: Rig, session_id: str) -> tuple[Path, bool]:
    """Where a command found the file of a secret, and whether it is still there."""
    place = Path((rig.lane(session_id) / "place").read_text().strip())
    return place, place.exists() or place.parent.exists()


@pytest.mark.promise("memory-CR4")
@pytest.mark.parametrize(
    ("command", "more", "outcome"),
    [
        (FILE, {}, "ok"),
        (f"{FILE}; exit 3", {}, "error"),
        (f"{FILE}; sleep 60", {"timeout_ms": 1500}, "error"),
    ],
)
async def test_the_file_of_a_secret_is_its_owners_alone_and_goes_with_the_command(
    rig: Rig, model_api: FakeModelApi, command: str, more: dict[str, int], outcome: str
) -> None:
    session_id, secret_id = await given(rig, model_api)
    call = {**use(command, secret=f"secret:{secret_id}", file="KEY"), **more}
    model_api.script(tool_turn("bash", **call), text_turn("done"))
    await say(rig, session_id)
    await allow(rig, session_id, await rig.asked(2))
    await rig.ended(2)
    result = rig.events(ToolCallFinished)[-1]
    assert f"600\n{len(VALUE.encode())}" in str(result.content)
    assert laid_out(rig, session_id)[1] is False
    assert VALUE.splitlines()[0] not in str(result.content)


@pytest.mark.promise("memory-CR4")
async def test_the_file_of_a_background_command_stays_while_it_runs_and_goes_when_it_is_stopped(
    rig: Rig, model_api: FakeModelApi
) -> None:
    session_id, secret_id = await given(rig, model_api)
    call = use(f"{FILE}; sleep 60", secret=f"secret:{secret_id}", file="KEY")
    model_api.script(tool_turn("bash", run_in_background=True, **call), text_turn("done"))
    await say(rig, session_id)
    await allow(rig, session_id, await rig.asked(2))
    await rig.ended(2)
    await rig.until(lambda _updates: (rig.lane(session_id) / "place").exists())
    assert laid_out(rig, session_id)[1] is True
    await rig.engine.handle(RevokeCredential(secret_id=secret_id))
    told = [update for update in rig.updates if isinstance(update, CredentialsChanged)][-1]
    assert [(one.secret_id, one.shell_id) for one in told.holders] == [(secret_id, "sh1")]
    await rig.engine.handle(StopShell(session_id=session_id, shell_id="sh1"))
    await rig.until(lambda _updates: not laid_out(rig, session_id)[1])


KILLED = """
import os, signal, sys, tempfile
from pathlib import Path
from pydantic import SecretStr
from desktop.services.files.leftovers import passing_prefix
from desktop.services.processes.given_secrets import GivenSecrets, lay_out
temp = Path(tempfile.mkdtemp(prefix=passing_prefix()))
print(lay_out(GivenSecrets(files={"KEY": SecretStr("s3cret")}), temp / "secrets-1").variables["KEY"], flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.promise("memory-CR4")
async def test_the_file_of_a_secret_that_a_killed_process_left_goes_with_the_next_start(
    folders: Folders, repository: Path
) -> None:
    left = subprocess.run([sys.executable, "-c", KILLED], capture_output=True, text=True, check=False).stdout.strip()
    assert Path(left).read_text() == "s3cret"
    rig = await Rig(folders).open(repository)
    await rig.until(lambda _updates: not Path(left).exists())
    await rig.engine.stop()
