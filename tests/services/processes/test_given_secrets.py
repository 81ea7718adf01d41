"""Secrets as one command finds them: whole or not at all, for their owner alone, and never shown."""

import asyncio
import os
import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.domain.core.ids import new_session_id
from desktop.services.processes.around import Place
from desktop.services.processes.given_secrets import GivenSecrets, lay_out
from desktop.services.processes.output import LONGEST_LINE, whole_lines
from desktop.services.processes.session import Processes

VALUE = SecretStr("line-1234\nline-5678")


@pytest.mark.promise("memory-CR4")
def test_a_file_is_its_owners_alone_and_its_variable_says_where(tmp_path: Path) -> None:
    given = GivenSecrets(variables={"TOKEN": VALUE}, files={"KEY": VALUE}, ids=("sec_1",))
    laid_out = lay_out(given, tmp_path / "secrets")
    assert laid_out.variables["TOKEN"] == VALUE.get_secret_value()
    file = Path(laid_out.variables["KEY"])
    assert file.read_text() == VALUE.get_secret_value()
    assert (stat.S_IMODE(file.stat().st_mode), stat.S_IMODE(file.parent.stat().st_mode)) == (0o600, 0o700)
    assert "line-1234" not in repr(given) + repr(laid_out)
    laid_out.remove()
    laid_out.remove()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.promise("memory-CR4")
def test_where_one_file_cannot_be_written_none_is_left(tmp_path: Path) -> None:
    given = GivenSecrets(files={"KEY": VALUE, "no/such/folder": VALUE}, ids=("sec_1",))
    with pytest.raises(OSError, match="No such file"):
        lay_out(given, tmp_path / "secrets")
    assert list(tmp_path.iterdir()) == []


def test_without_files_no_folder_is_made(tmp_path: Path) -> None:
    lay_out(GivenSecrets(variables={"TOKEN": VALUE}, ids=("sec_1",)), tmp_path / "secrets")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.asyncio
@pytest.mark.promise("memory-CR6")
async def test_output_of_a_command_with_a_secret_is_handed_out_in_whole_lines(tmp_path: Path) -> None:
    processes = Processes(new_session_id(), os.environ)
    secrets = GivenSecrets(variables={"TOKEN": SecretStr("first-second")}, ids=("sec_1",))
    wait = "while [ ! -e go ]; do sleep 0.02; done"
    command = f'echo begun; printf %s "${{TOKEN%-*}}"; touch half; {wait}; echo "-${{TOKEN#*-}}"'
    shell = await processes.start_background(command, cwd=tmp_path, place=Place(secrets=secrets))
    while not (tmp_path / "half").exists():
        await asyncio.sleep(0.02)
    assert (await processes.output(shell, wait_s=5)).text == "begun\n"
    assert (await processes.output(shell)).text == ""
    (tmp_path / "go").touch()
    await processes.wait(shell, 20)
    assert (await processes.output(shell)).text == "first-second\n"
    await processes.stop_all()


def test_a_line_without_an_end_is_not_held_for_ever() -> None:
    assert [whole_lines(raw) for raw in (b"", b"a", b"a\nb", b"a\n")] == [0, 0, 2, 2]
    assert whole_lines(b"a\n" + b"x" * LONGEST_LINE) == LONGEST_LINE + 2
