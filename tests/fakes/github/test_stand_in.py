"""The stand-in does what GitHub does, from real git."""

import subprocess
from pathlib import Path

import httpx2
import pytest

from tests.fakes.github import faults
from tests.fakes.github.changes import Pushed
from tests.fakes.github.git_repository import git_environment
from tests.fakes.github.stand_in import FakeGitHub


def git(folder: Path, token: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    header = f"http.extraHeader=Authorization: Bearer {token}"
    person = ("-c", "user.name=Ada", "-c", "user.email=ada@users.example")
    environment = git_environment(GIT_TERMINAL_PROMPT="0")
    return subprocess.run(
        ["git", "-c", header, *person, *arguments], cwd=folder, env=environment, capture_output=True, text=True
    )


def test_a_push_moves_the_head_of_its_pull_request_and_a_wrong_token_is_refused(
    github: FakeGitHub, http: httpx2.Client, tmp_path: Path
) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature", {"a.py": "x = 1\n"})
    created = http.post("/repos/octo/app/pulls", json=dict(title="Add x", head="feature", base="main", draft=True))
    assert (created.status_code, created.json()["draft"]) == (201, True)
    assert git(tmp_path, github.token, "clone", "-q", "-b", "feature", repo.clone_url, "work").returncode == 0
    (tmp_path / "work/a.py").write_text("x = 2\ny = 3\n")
    git(tmp_path / "work", "", "commit", "-qam", "More")
    pushed: list[Pushed] = []
    github.on_push(pushed.append)
    assert git(tmp_path / "work", github.token, "push", "-q").returncode == 0
    shown = http.get("/repos/octo/app/pulls/1").json()
    assert shown["head"]["sha"] == pushed[0].after == repo.head("feature")
    assert (shown["commits"], shown["additions"], shown["changed_files"], shown["mergeable"]) == (2, 2, 1, True)
    assert "could not read Username" in git(tmp_path / "work", "wrong", "fetch").stderr


def test_faults_come_as_scripted_and_a_lost_answer_has_happened(github: FakeGitHub, http: httpx2.Client) -> None:
    repo = github.add_repo("octo/app")
    repo.push("feature", {"a.py": "x = 1\n"})
    github.fail(faults.answer_lost(), on="POST /repos/{owner}/{repo}/pulls")
    with pytest.raises(httpx2.TransportError):
        http.post("/repos/octo/app/pulls", json=dict(title="Add x", head="feature", base="main"))
    assert [pull.number for pull in repo.pulls] == [1]
    github.fail(faults.secondary_limit(7))
    limited = http.get("/repos/octo/app/pulls")
    assert (limited.status_code, limited.headers["retry-after"]) == (403, "7")
    assert len(http.get("/repos/octo/app/pulls?head=octo:feature&state=all").json()) == 1
