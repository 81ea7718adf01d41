"""The login of the `gh` command line, run as a program."""

import asyncio
import time
from pathlib import Path

import psutil
import pytest

from desktop.domain.github.values import GitHubError
from desktop.services.github.gh import find_gh, gh_token

pytestmark = pytest.mark.asyncio


def gh(folder: Path, *lines: str) -> dict[str, str]:
    """An environment in which `gh` is this script."""
    program = folder / "gh"
    program.write_text("\n".join(("#!/bin/sh", *lines, "")))
    program.chmod(0o755)
    return {"PATH": f"{folder}:/usr/bin:/bin", "HOME": str(folder), "GH_TOKEN": "ghp_other", "LD_PRELOAD": "/x.so"}


async def test_its_token_is_read_and_it_sees_nothing_but_what_it_needs(tmp_path: Path) -> None:
    environment = gh(tmp_path, 'env > "$HOME/seen"', 'echo "ghp_$4"')
    assert (await gh_token("ghe.example", environment)).get_secret_value() == "ghp_ghe.example"
    seen = dict(line.split("=", 1) for line in (tmp_path / "seen").read_text().splitlines())
    assert not {"GH_TOKEN", "LD_PRELOAD"} & seen.keys()


@pytest.mark.parametrize("line", ["exit 1", "true", "echo two words", "printf 'ghp_\\303\\244'"])
async def test_what_is_no_token_is_refused_with_what_to_do(tmp_path: Path, line: str) -> None:
    with pytest.raises(GitHubError, match=r"gh auth login --hostname github\.com"):
        await gh_token("github.com", gh(tmp_path, line))


async def test_one_that_hangs_is_ended_with_what_it_started(tmp_path: Path) -> None:
    environment = gh(tmp_path, 'sleep 61 & echo $! > "$HOME/part"', 'mv "$HOME/part" "$HOME/child"', "wait")
    for limit_s in (0.5, 5.0, 15.0):  # a slow machine has not begun it in the first
        with pytest.raises(GitHubError, match=f"did not answer within {limit_s:g} s"):
            await gh_token("github.com", environment, limit_s=limit_s)
        if (tmp_path / "child").exists():
            break
    child = int((tmp_path / "child").read_text())
    ends = time.monotonic() + 20
    while psutil.pid_exists(child) and psutil.Process(child).status() != psutil.STATUS_ZOMBIE:
        assert time.monotonic() < ends
        await asyncio.sleep(0.02)


async def test_it_is_looked_for_in_whole_paths_alone(tmp_path: Path) -> None:
    gh(tmp_path, "true")
    assert find_gh({"PATH": str(tmp_path)}) == str(tmp_path / "gh")
    assert find_gh({"PATH": "./bin::bin"}) is None
    with pytest.raises(GitHubError, match="was not found"):
        await gh_token("github.com", {"PATH": str(tmp_path / "nowhere")})
