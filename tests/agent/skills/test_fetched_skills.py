"""Skills from a repository at an address: fetched in the sandbox, looked at, and installed by their commit."""

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from pathlib import Path

import pytest
import pytest_asyncio

from desktop.agent.lanes.project_log import project_log_id
from desktop.agent.options import EngineOptions
from desktop.config.folders import Folders
from desktop.domain.lanes.events import LaneOperationFinished, LaneOperationStarted
from desktop.domain.skills import commands as c
from desktop.domain.skills import remote as r
from desktop.domain.skills.updates import SkillsLoaded
from desktop.services.skills import fetching
from tests.agent.rig import Rig, git, make_repository
from tests.agent.skills.skill_places import skill_text
from tests.agent.skills.test_installing_skills import reviewed, states, told
from tests.fakes.git_host import GitHost
from tests.services.egress.net import SITE, local_egress

pytestmark = [
    pytest.mark.asyncio,
    pytest.mark.skipif(shutil.which("bwrap") is None, reason="only bubblewrap keeps git from the rest"),
    pytest.mark.skipif(shutil.which("openssl") is None, reason="no openssl here"),
]


@pytest.fixture
def host(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[GitHost]:
    with GitHost(tmp_path / "host", SITE) as host:
        monkeypatch.setenv("GIT_SSL_CAINFO", str(host.certificate))
        yield host


@pytest_asyncio.fixture
async def rig(folders: Folders, repository: Path, host: GitHost) -> AsyncIterator[Rig]:
    rig = await Rig(folders, replace(EngineOptions(), egress=local_egress())).open(repository)
    yield rig
    await rig.engine.stop()


def published(host: GitHost, files: dict[str, str], name: str = "skills") -> Path:
    """A repository that the host serves."""
    folder = make_repository(host.folder / f"{name}.git", {"README.md": "Skills.\n", **files})
    git(folder, "config", "http.receivepack", "false")
    return folder


def address(host: GitHost, name: str = "skills") -> str:
    return f"https://{SITE}:{host.port}/{name}.git"


async def fetched(rig: Rig, command: r.FetchSkills) -> r.SkillsFetched:
    await rig.engine.handle(command)
    found = [one for one in rig.updates if isinstance(one, r.SkillsFetched)]
    assert found, rig.failures()[-1].text
    return found[-1]


async def refused(rig: Rig, command: r.FetchSkills) -> str:
    await rig.engine.handle(command)
    assert not [one for one in rig.updates if isinstance(one, r.SkillsFetched)]
    return rig.failures()[-1].text


def operations(rig: Rig) -> list[tuple[str, str]]:
    assert rig.engine.project is not None
    store, log_id = rig.engine._store.events, project_log_id(rig.engine.project.id)
    log = [one.event for one in store.read(log_id)] if store.head(log_id) is not None else []
    begun = {one.operation_id: one for one in log if isinstance(one, LaneOperationStarted)}
    return [(begun[one.operation_id].operation, one.status) for one in log if isinstance(one, LaneOperationFinished)]


@pytest.mark.promise("memory-SK9")
async def test_a_skill_is_fetched_shown_and_installed_by_its_commit(
    rig: Rig, host: GitHost, folders: Folders, tmp_path: Path
) -> None:
    flag = tmp_path / "ran"
    remote = published(host, {
        "skills/notes/SKILL.md": skill_text("notes", "Write it down.", "requires_secrets: TOKEN\n"),
        "skills/notes/go.sh": f"#!/bin/sh\ntouch {flag}\n",
        ".gitattributes": "* filter=evil\n",
        ".gitmodules": "",
    })  # fmt: skip
    (remote / ".git" / "hooks" / "post-checkout").parent.mkdir(exist_ok=True)
    (remote / ".git" / "hooks" / "post-checkout").write_text(f"#!/bin/sh\ntouch {flag}\n")
    commit = git(remote, "rev-parse", "HEAD").strip()

    found = await fetched(rig, r.FetchSkills(address=address(host)))

    assert (found.commit, [(one.skill_id, one.place, one.problem) for one in found.skills]) == (
        commit,
        [("notes", "skills/notes", "")],
    )
    assert not (folders.data / "skills").exists(), "fetching installs nothing"
    review = await reviewed(rig, c.ReviewSkill(source="commit", place="skills/notes", sha256=commit))
    assert [file.path for file in review.files] == ["SKILL.md", "go.sh"]
    assert (review.commit, review.secrets) == (commit, ("TOKEN",))
    await rig.engine.handle(c.InstallSkill(skill_id="notes", sha256=review.sha256))

    assert states(told(rig)) == [("notes", "on")]
    row = told(rig).skills[0]
    assert row.origin is not None
    assert (row.origin.address, row.origin.folder, row.origin.commit) == (address(host), "skills/notes", commit)
    assert (folders.data / "skills" / "notes" / "go.sh").read_text() == f"#!/bin/sh\ntouch {flag}\n"
    assert operations(rig)[-2:] == [("fetch_skills", "done"), ("install_skill", "done")]
    assert not flag.exists()
    assert host.logins == []


@pytest.mark.promise("memory-SK9")
async def test_an_address_is_shown_as_it_would_be_asked_and_bad_ones_are_refused_unasked(
    rig: Rig, host: GitHost
) -> None:
    await rig.engine.handle(r.CheckSkillAddress(address="https://GitHub.com/some/skills/tree/main/one/two"))
    shown = [one for one in rig.updates if isinstance(one, r.SkillAddressChecked)][-1]
    assert (shown.address, shown.host, shown.branch, shown.folder) == (
        "https://github.com/some/skills", "github.com", "main", "one/two",
    )  # fmt: skip
    await rig.engine.handle(r.CheckSkillAddress(address="https://bücher.example/x"))
    shown = [one for one in rig.updates if isinstance(one, r.SkillAddressChecked)][-1]
    assert (shown.host, shown.sent_as) == ("bücher.example", "xn--bcher-kva.example")
    for bad, why in (
        ("http://site.example/x.git", "https alone"),
        ("git@site.example:x.git", "begin with http"),
        ("ssh://site.example/x.git", "begin with http"),
        ("file:///etc", "begin with http"),
        ("ext::sh -c id", "blank"),
        ("https://me:pw@site.example/x.git", "user name"),
        ("https://127.0.0.1/x.git", "not an address of the public network"),
        ("https://localhost/x.git", "not an address of the public network"),
        ("https://site.example/x.git?a=b", "question mark"),
        ("https://site.example/x\u202e.git", "cannot be seen"),
    ):
        assert why in await refused(rig, r.FetchSkills(address=bad)), bad
    for branch in ("--upload-pack=id", "a:b", "+main", "a..b", "a b", "^main"):
        assert "name of a branch" in await refused(rig, r.FetchSkills(address=address(host), branch=branch))
    assert "none of a repository" in await refused(rig, r.FetchSkills(address=address(host), folder="../x"))
    assert host.asked == []
    assert operations(rig) == []


@pytest.mark.promise("memory-SK9")
async def test_a_host_that_leads_into_the_persons_network_or_elsewhere_is_not_followed(
    folders: Folders, repository: Path, host: GitHost
) -> None:
    egress = local_egress({"inside.example": ["10.0.0.7"]})
    rig = await Rig(folders, replace(EngineOptions(), egress=egress)).open(repository)
    published(host, {"SKILL.md": skill_text("skills")})
    inside = await refused(rig, r.FetchSkills(address="https://inside.example/x.git"))
    host.moved["/away.git/info/refs"] = f"https://www.{SITE}:{host.port}/skills.git/info/refs?service=git-upload-pack"
    away = await refused(rig, r.FetchSkills(address=address(host, "away")))
    missing = await refused(rig, r.FetchSkills(address=address(host, "nothing")))
    assert operations(rig) == [("fetch_skills", "failed")] * 3
    await rig.engine.stop()
    assert "403" in inside
    assert f"leads to another host, www.{SITE}:{host.port}" in away
    assert "not found" in missing
    assert "/skills.git/info/refs" not in host.asked


@pytest.mark.promise("memory-SK9")
async def test_what_a_commit_may_not_hold_is_named_and_the_other_skills_can_be_taken(rig: Rig, host: GitHost) -> None:
    remote = published(host, {
        "good/SKILL.md": skill_text("good"),
        "link/SKILL.md": skill_text("link"),
        "two/SKILL.md": skill_text("two"),
        "two/Name": "a", "two/name": "b",
        "faulty/SKILL.md": "nothing",
        "deep/a/b/c/d/e/SKILL.md": skill_text("e"),
        "node_modules/x/SKILL.md": skill_text("x"),
        **{f"many/f{number}": str(number) for number in range(200)},
        "many/SKILL.md": skill_text("many"),
    })  # fmt: skip
    (remote / "link" / "out").symlink_to("/etc/passwd")
    (remote / "big").mkdir()
    (remote / "big" / "SKILL.md").write_text(skill_text("big"))
    (remote / "big" / "zeros").write_bytes(bytes(6 * 1024 * 1024))
    git(remote, "add", "-A")
    git(remote, "commit", "-q", "-m", "more")

    found = await fetched(rig, r.FetchSkills(address=address(host)))

    problems = {one.skill_id: one.problem for one in found.skills}
    assert problems.pop("good") == ""
    assert "'link/out' is a link" in problems.pop("link")
    assert "differ by case alone" in problems.pop("two")
    assert "does not begin with front matter" in problems.pop("faulty")
    assert "more than 200 files" in problems.pop("many")
    assert "larger than 5 MiB" in problems.pop("big")
    assert problems == {}
    await rig.engine.handle(c.ReviewSkill(source="commit", place="link", sha256=found.commit))
    assert "Fetch it again" in rig.failures()[-1].text
    review = await reviewed(rig, c.ReviewSkill(source="commit", place="good", sha256=found.commit))
    assert (review.skill_id, review.problem) == ("good", "")


@pytest.mark.promise("memory-SK9")
async def test_a_repository_that_is_too_large_or_too_slow_is_given_up(
    rig: Rig, host: GitHost, monkeypatch: pytest.MonkeyPatch
) -> None:
    remote = published(host, {"SKILL.md": skill_text("skills")})
    (remote / "noise").write_bytes(os.urandom(21 * 1024 * 1024))
    git(remote, "add", "-A")
    git(remote, "commit", "-q", "-m", "noise")
    assert "larger than 20 MiB" in await refused(rig, r.FetchSkills(address=address(host)))

    monkeypatch.setattr(fetching, "LIMIT_S", 1.0)
    host.slow.clear()
    assert "not fetched within 1 s" in await refused(rig, r.FetchSkills(address=address(host)))
    assert operations(rig) == [("fetch_skills", "failed")] * 2


@pytest.mark.promise("memory-SK11")
async def test_an_update_is_looked_for_on_click_and_is_a_review_of_its_own(rig: Rig, host: GitHost) -> None:
    remote = published(host, {"SKILL.md": skill_text("skills", "First.")})
    git(remote, "tag", "-a", "v1", "-m", "one")
    first = await fetched(rig, r.FetchSkills(address=address(host), branch="v1"))
    review = await reviewed(rig, c.ReviewSkill(source="commit", place="", sha256=first.commit))
    await rig.engine.handle(c.InstallSkill(skill_id="skills", sha256=review.sha256))
    (remote / "SKILL.md").write_text(skill_text("skills", "Second."))
    git(remote, "commit", "-aqm", "two")
    assert len(host.asked) == host.asked.count("/skills.git/info/refs") + host.asked.count(
        "/skills.git/git-upload-pack"
    )
    asked = len(host.asked)

    origin = told(rig).skills[0].origin
    assert origin is not None
    assert origin.branch == "v1"
    again = await fetched(rig, r.FetchSkills(address=origin.address, branch=origin.branch, folder=origin.folder))
    assert again.commit == first.commit, "a tag stays"
    newer = await fetched(rig, r.FetchSkills(address=origin.address, branch="main", folder=origin.folder))
    assert len(host.asked) > asked
    assert newer.commit == git(remote, "rev-parse", "HEAD").strip()
    review = await reviewed(rig, c.ReviewSkill(source="commit", place="", sha256=newer.commit))
    assert "-First." in review.difference
    assert "+Second." in review.difference
    assert states(told(rig)) == [("skills", "on")], "nothing changed before a person says yes"
    await rig.engine.handle(c.InstallSkill(skill_id="skills", sha256=review.sha256))
    assert told(rig).skills[0].origin == origin.model_copy(update={"branch": "main", "commit": newer.commit})
    by_id = await fetched(rig, r.FetchSkills(address=origin.address, branch=first.commit))
    assert by_id.commit == first.commit


async def test_a_fetch_that_is_stopped_leaves_nothing_running(rig: Rig, host: GitHost) -> None:
    published(host, {"SKILL.md": skill_text("skills")})
    host.slow.clear()
    task = asyncio.create_task(rig.engine.handle(r.FetchSkills(address=address(host))))
    await rig.until(lambda _updates: bool(host.asked) or None)
    task.cancel()
    await asyncio.wait({task})
    host.slow.set()
    assert operations(rig) == [("fetch_skills", "interrupted")]
    assert not [one for one in rig.updates if isinstance(one, SkillsLoaded)]


@pytest.mark.promise("memory-SK9")
async def test_a_commit_that_would_unpack_to_more_than_any_disk_is_given_up(rig: Rig, host: GitHost) -> None:
    remote = published(host, {"SKILL.md": skill_text("skills")})
    name = git(remote, "hash-object", "-w", "SKILL.md").strip()
    kind = "100644 blob"
    for _ in range(12):
        lines = "".join(f"{kind} {name}\tpart{number}\n" for number in range(10))
        name = subprocess.run(
            ["git", "mktree"], cwd=remote, input=lines, check=True, capture_output=True, text=True
        ).stdout.strip()
        kind = "040000 tree"
    commit = git(remote, "commit-tree", name, "-m", "bomb").strip()
    git(remote, "update-ref", "refs/heads/main", commit)

    assert "larger than 20 MiB" in await refused(rig, r.FetchSkills(address=address(host)))


@pytest.mark.promise("memory-SK12")
async def test_agents_and_commands_of_a_commit_are_installed_by_the_same_review(
    rig: Rig, host: GitHost, folders: Folders
) -> None:
    published(host, {
        "agents/scout.md": "---\nname: scout\ndescription: Looks\n---\nLook.\n",
        "agents/README.md": "About.",
        "agents/odd.md": "No front matter.",
        "plugin/commands/tidy.md": "Tidy up.\n",
        "skills/a/SKILL.md": skill_text("a"),
        "skills/a/agents/inner.md": "part of the skill",
    })  # fmt: skip
    found = await fetched(rig, r.FetchSkills(address=address(host)))
    assert [(one.what, one.skill_id, one.place, bool(one.problem)) for one in found.skills] == [
        ("skill", "a", "skills/a", False),
        ("agent", "odd", "agents/odd.md", True),
        ("agent", "scout", "agents/scout.md", False),
        ("command", "tidy", "plugin/commands/tidy.md", False),
    ]
    for name, place in (("scout", "agents/scout.md"), ("tidy", "plugin/commands/tidy.md")):
        review = await reviewed(rig, c.ReviewSkill(source="commit", place=place, sha256=found.commit))
        assert (review.skill_id, review.commit) == (name, found.commit)
        await rig.engine.handle(c.InstallSkill(skill_id=name, sha256=review.sha256))
    assert (folders.config / "agents" / "scout.md").read_text().endswith("Look.\n")
    assert (folders.config / "commands" / "tidy.md").read_text() == "Tidy up.\n"


@pytest.mark.promise("memory-SK12")
async def test_a_repository_of_programs_alone_is_refused_with_where_programs_go(rig: Rig, host: GitHost) -> None:
    published(host, {"plugin.py": "print(1)\n"})
    assert "A program can be added as an MCP server" in await refused(rig, r.FetchSkills(address=address(host)))
