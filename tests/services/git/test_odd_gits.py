"""Opening a repository where git, its configuration or a folder's name is odd: what is said leads on."""

import sys
from pathlib import Path

import pytest

from desktop.domain.core.errors import CommandError, GitError
from desktop.services.git.run import Git
from desktop.services.projects import check_git, open_project
from tests.agent.rig import git, make_repository

pytestmark = pytest.mark.asyncio


async def refusal(folder: Path) -> CommandError:
    with pytest.raises(CommandError) as raised:
        await open_project(folder)
    return raised.value


@pytest.mark.skipif(sys.platform == "win32", reason="no name holds a line end there")
async def test_a_folder_with_a_line_end_in_its_name_can_be_opened(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "a\nq" / "r")
    assert (await open_project(repository)).path == str(repository)


async def test_what_git_says_of_a_broken_configuration_is_told_in_one_line(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    with (repository / ".git" / "config").open("a") as config:
        config.write("[broken\n")
    told = await refusal(repository)
    assert (told.code, "bad config line" in str(told), "\n" in str(told)) == ("git_refuses", True, False)


async def test_an_unknown_extension_is_told_in_the_words_of_git(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    git(repository, "config", "core.repositoryformatversion", "1")
    git(repository, "config", "extensions.frobnicate", "true")
    told = await refusal(repository)
    assert (told.code, "frobnicate" in str(told), "\n" in str(told)) == ("git_refuses", True, False)


async def test_a_folder_without_a_repository_is_still_told_to_make_one(tmp_path: Path) -> None:
    told = await refusal(tmp_path)
    assert (told.code, "git init" in str(told)) == ("not_a_repository", True)


@pytest.mark.skipif(sys.platform == "win32", reason="a shell script as git")
async def test_a_git_that_hangs_is_named_as_one_and_a_missing_one_as_missing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    monkeypatch.setenv("PATH", str(programs))
    with pytest.raises(CommandError, match="git was not found"):
        await check_git(Git(tmp_path))
    hanging = programs / "git"
    hanging.write_text("#!/bin/sh\nexec /bin/sleep 60\n")
    hanging.chmod(0o755)

    class Short(Git):
        async def run(self, *arguments: str, limit_s: float = 0.5, check: bool = True):  # type: ignore[no-untyped-def]
            return await super().run(*arguments, limit_s=limit_s, check=check)

    with pytest.raises(CommandError) as raised:
        await check_git(Short(tmp_path))
    assert isinstance(raised.value.__cause__, GitError)
    assert "git does not work here: git --version was stopped after 0.5 s" in str(raised.value)


@pytest.mark.promise("lanes-G1")
@pytest.mark.skipif(sys.platform == "win32", reason="a shell script as git")
@pytest.mark.parametrize(("printed", "found"), [("2.25.1", "2.25"), ("1.9", "1.9"), ("odd", "git version odd")])
async def test_a_git_that_is_too_old_is_refused_with_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, printed: str, found: str
) -> None:
    old = tmp_path / "git"
    old.write_text(f"#!/bin/sh\necho git version {printed}\n")
    old.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(CommandError) as raised:
        await check_git(Git(tmp_path))
    assert raised.value.code == "old_git"
    assert str(raised.value) == f"Banksman needs git 2.38 or newer; found {found}."
    old.write_text("#!/bin/sh\necho git version 2.38.0\n")
    await check_git(Git(tmp_path))


async def test_what_git_says_in_several_lines_is_one_line_for_people_and_whole_for_the_code(tmp_path: Path) -> None:
    repository = make_repository(tmp_path / "shop")
    with pytest.raises(GitError) as raised:
        await Git(repository).run("rev-parse", "--verify", "nowhere", "--")
    with pytest.raises(GitError) as several:
        await Git(repository).run("log", "nowhere")
    assert "\n" not in str(raised.value) + str(several.value)
    assert "unknown revision or path not in the working tree. Use '--'" in str(several.value)
    assert several.value.stderr.strip().count("\n") > 1
