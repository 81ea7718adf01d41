import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from desktop.domain.core.errors import GitError
from desktop.services.sample_repository import create_sample_repository

SCRIPTS = Path(__file__).parents[2] / "desktop" / "providers" / "demo_scripts"


def git(folder: Path, *arguments: str) -> str:
    done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def run_tests(folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "unittest", "-q"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=20)


def edits_of_the_scripts() -> list[dict[str, str]]:
    found: list[dict[str, str]] = []
    for path in SCRIPTS.glob("*.json"):
        for turn in json.loads(path.read_text())["passes"][0]["turns"]:
            for variant in turn if isinstance(turn, list) else [turn]:
                found += [call["args"] for call in variant.get("tool_calls", []) if call["name"] == "edit_file"]
    return found


def test_it_is_a_clean_repository_on_main_with_one_commit(tmp_path: Path) -> None:
    folder = create_sample_repository(tmp_path / "demo" / "shop")
    assert git(folder, "status", "--porcelain", "--branch") == "## main"
    assert git(folder, "log", "--format=%an <%ae> %aI %s") == (
        "Banksman Demo <demo@banksman.invalid> 2026-01-05T09:00:00+00:00 Add a tiny shop"
    )
    assert git(folder, "config", "--local", "user.email") == "demo@banksman.invalid"


def test_it_is_the_same_commit_every_time(tmp_path: Path) -> None:
    commits = {git(create_sample_repository(tmp_path / name), "rev-parse", "HEAD") for name in ("a", "b")}
    assert len(commits) == 1


def test_an_existing_one_is_left_alone(tmp_path: Path) -> None:
    folder = create_sample_repository(tmp_path / "shop")
    (folder / "README.md").write_text("mine")
    assert create_sample_repository(folder) == folder
    assert (folder / "README.md").read_text() == "mine"


def test_a_folder_with_other_files_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(GitError, match="is not empty"):
        create_sample_repository(tmp_path)


def test_configuration_and_hooks_of_the_user_play_no_part(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    hook = hooks / "pre-commit"
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    config = tmp_path / "gitconfig"
    config.write_text(f"[core]\n hooksPath = {hooks}\n[commit]\n gpgSign = true\n[init]\n defaultBranch = other\n")
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", str(config))
    monkeypatch.setenv("GIT_DIR", str(tmp_path / "elsewhere"))
    folder = create_sample_repository(tmp_path / "shop")
    assert (folder / ".git" / "refs" / "heads" / "main").exists()
    assert not (tmp_path / "elsewhere").exists()


def test_its_tests_fail_because_the_discount_is_taken_twice(tmp_path: Path) -> None:
    done = run_tests(create_sample_repository(tmp_path / "shop"))
    assert done.returncode == 1
    assert "2754 != 3060" in done.stderr
    assert "failures=2" in done.stderr


@pytest.mark.parametrize("edit", edits_of_the_scripts(), ids=lambda edit: str(edit["new_string"].strip()[:40]))
def test_each_edit_of_the_demo_makes_its_tests_pass(tmp_path: Path, edit: dict[str, str]) -> None:
    folder = create_sample_repository(tmp_path / "shop")
    file = folder / edit["file_path"]
    text = file.read_text()
    assert text.count(edit["old_string"]) == 1
    file.write_text(text.replace(edit["old_string"], edit["new_string"]))
    assert run_tests(folder).returncode == 0
    assert git(folder, "status", "--porcelain") == f"M {edit['file_path']}"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(GitError, match="Could not create"):
        create_sample_repository(tmp_path / "shop")
