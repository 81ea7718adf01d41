"""Secrets as one command finds them: whole or not at all, for their owner alone, and never shown."""

import stat
from pathlib import Path

import pytest
from pydantic import SecretStr

from desktop.services.processes.given_secrets import GivenSecrets, lay_out

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
