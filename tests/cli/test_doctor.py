"""`banksman doctor` and `--selftest`: what is missing is named with what helps, and only what fails ends with 1."""

import subprocess
import sys
from pathlib import Path

import cryptography
import keyring
import pytest
from keyring.backends.fail import Keyring
from PySide6.QtWidgets import QApplication

from desktop.cli import checks, doctor, selftest
from desktop.cli.checks import Check, Missing
from desktop.domain.core.errors import StartError
from desktop.services.sample_repository import create_sample_repository, lend_python, sample_tests_pass

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BANKSMAN_HOME", str(tmp_path / "home"))


def test_all_that_is_here_works(qapp: QApplication, capsys: pytest.CaptureFixture[str]) -> None:
    status = doctor.main([])
    said = capsys.readouterr().out
    assert status == 0
    assert "FAILED  " not in said
    assert said.count("works   ") >= 11
    assert "0 failed." in said
    assert "Build: runs from its source\n" in said


def test_what_fails_and_what_is_missing_come_with_what_helps(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def missing() -> str:
        raise Missing("there is none")

    def failing() -> str:
        raise FileNotFoundError("it was not found")

    tried = (
        Check("one", lambda: "here", "a"),
        Check("two", missing, "Get two."),
        Check("three", failing, "Get three."),
    )
    monkeypatch.setattr(checks, "CHECKS", tried)
    assert doctor.main([]) == 1
    said = capsys.readouterr().out.splitlines()
    assert said[-7:] == [
        "works     one: here",
        "missing   two: there is none",
        "          Get two.",
        "FAILED    three: FileNotFoundError: it was not found",
        "          Get three.",
        "",
        "1 work, 1 are missing, 1 failed.",
    ]
    assert selftest.main([]) == 1
    assert capsys.readouterr().out.splitlines()[-2:] == [
        "missing two: there is none", "FAILED three: FileNotFoundError: it was not found",
    ]  # fmt: skip
    monkeypatch.setattr(checks, "CHECKS", tried[:2])
    assert doctor.main([]) == 0
    assert selftest.main([]) == 0


def found_of(name: str) -> tuple[str, str]:
    with pytest.MonkeyPatch.context() as only:
        only.setattr(checks, "CHECKS", tuple(one for one in checks.CHECKS if one.name == name))
        (found,) = checks.findings()
    return found.outcome, found.text


def test_signatures_are_checked_with_one_that_is_right_and_one_that_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found_of("signatures") == ("ok", f"cryptography {cryptography.__version__}")
    monkeypatch.setattr(checks, "SIGNATURE", bytes(64))
    assert found_of("signatures") == ("FAILED", "ValueError: a signature that is right is not taken")
    monkeypatch.setitem(sys.modules, "cryptography.hazmat.primitives.asymmetric.ed25519", None)
    outcome, text = found_of("signatures")
    assert (outcome, text.partition(":")[0]) == ("FAILED", "ModuleNotFoundError")


def test_what_judges_commands_is_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    assert found_of("judgement") == ("ok", "6 commands and queries are judged as they must be")
    monkeypatch.setattr(checks, "JUDGED", (("shell", {"command": "ls"}, "deny"),))
    assert found_of("judgement") == ("FAILED", "ValueError: 'ls' is judged wrongly: allow instead of deny")


def test_a_keyring_that_keeps_nothing_is_missing() -> None:
    before = keyring.get_keyring()
    keyring.set_keyring(Keyring())
    try:
        found = found_of("keyring")
    finally:
        keyring.set_keyring(before)
    assert found == ("missing", "there is none, so keys are kept until Banksman closes")


def test_git_that_is_not_there_fails_by_name(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(checks, "CHECKS", tuple(one for one in checks.CHECKS if one.name == "git"))
    (found,) = checks.findings()
    assert (found.outcome, found.text) == ("FAILED", "FileNotFoundError: git was not found")


def test_words_are_refused() -> None:
    with pytest.raises(StartError, match="takes no '--all'"):
        doctor.main(["--all"])


def test_the_sample_is_tested_by_the_program_where_no_python_is_installed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository = create_sample_repository(tmp_path / "shop")
    programs = tmp_path / "bin"
    programs.mkdir()
    lent = programs / "python3"
    lent.write_text(f'#!/bin/sh\nPYTHONPATH="{ROOT}" exec "{sys.executable}" -m desktop --sample-python "$@"\n')
    lent.chmod(0o755)
    for needed in ("sh", "env"):
        (tmp_path / "system").mkdir(exist_ok=True)
        (tmp_path / "system" / needed).symlink_to(f"/bin/{needed}")
    monkeypatch.setenv("PATH", str(tmp_path / "system"))
    lend_python(programs)
    assert not sample_tests_pass(repository)
    done = subprocess.run(
        ["python3", "-m", "unittest", "-q"], cwd=repository, capture_output=True, text=True, check=False
    )
    assert "Ran 4 tests" in done.stderr
    assert "FAILED (failures=2)" in done.stderr
    refused = subprocess.run(["python3", "-c", "print(1)"], cwd=repository, capture_output=True, text=True, check=False)
    assert (refused.returncode, refused.stdout) == (2, "")
