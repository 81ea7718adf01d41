"""Which repository of which host a remote names, and where that host is asked."""

import subprocess
from pathlib import Path

import pytest

from desktop.config.settings import GitHubHost
from desktop.domain.pulls.pull_request import ForgeProblem, RepositoryId
from desktop.services.git.run import git_environment
from desktop.services.github.hosts import address_of, same_origin
from desktop.services.github.remotes import parse_remote, remote_host, repository_of

HOSTS = frozenset({"github.com", "github.example.com"})


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("https://github.com/octo/app.git", "github.com octo/app"),
        ("https://github.com/octo/app/", "github.com octo/app"),
        ("https://user:secret@GitHub.com/octo/my.app", "github.com octo/my.app"),
        ("http://127.0.0.1:8080/octo/app.git", "127.0.0.1:8080 octo/app"),
        ("https://github.example.com:443/octo/app", "github.example.com octo/app"),
        ("https://github.example.com:8443/octo/app", "github.example.com:8443 octo/app"),
        ("ssh://git@github.example.com:2222/octo/app.git", "github.example.com octo/app"),
        ("ssh://git@ssh.github.com:443/octo/app.git", "github.com octo/app"),
        ("git@host.example:o/r.git", "host.example o/r"),
        ("git@github.com:/octo/app.git", "github.com octo/app"),
        ("org-1@github.com:octo_corp/.github", "github.com octo_corp/.github"),
        ("github.com:octo/app", "github.com octo/app"),
        ("git://github.com/octo/app.git", "github.com octo/app"),
        ("https://gitlab.com/group/sub/app.git", ""),
        ("https://github.com/octo", ""),
        ("https://github.com/octo/..", ""),
        ("https://github.com/oc to/app", ""),
        ("https://github.com/octo/app?x=1", "github.com octo/app"),
        ("https://[bad/octo/app", ""),
        ("https://github.com:port/octo/app", ""),
        ("C:\\code\\app", ""),
        ("/srv/git/app.git", ""),
        ("../app", ""),
        ("file:///srv/git/app.git", ""),
        ("", ""),
    ],
)
def test_an_address_names_a_repository(address: str, expected: str) -> None:
    found = parse_remote(address)
    assert (f"{found.host} {found.slug}" if found else "") == expected


def test_the_host_of_an_address_without_repository_is_told() -> None:
    assert remote_host("https://gitlab.com/group/sub/app.git") == "gitlab.com"
    assert remote_host("/srv/git/app.git") == ""


@pytest.mark.parametrize(
    ("host", "api_url", "expected"),
    [
        ("github.com", "", ("https://api.github.com", "https://api.github.com/graphql", "https://github.com")),
        ("acme.ghe.com", "", ("https://api.acme.ghe.com", "https://api.acme.ghe.com/graphql", "https://acme.ghe.com")),
        ("ghe.example", "", ("https://ghe.example/api/v3", "https://ghe.example/api/graphql", "https://ghe.example")),
        (
            "ghe.example",
            "https://proxy.example/api/v3/",
            ("https://proxy.example/api/v3", "https://proxy.example/api/graphql", "https://ghe.example"),
        ),
        (
            "127.0.0.1:81",
            "",
            ("http://127.0.0.1:81/api/v3", "http://127.0.0.1:81/api/graphql", "http://127.0.0.1:81"),
        ),
    ],
)
def test_a_host_is_asked_at_its_usual_address_or_the_one_given(
    host: str, api_url: str, expected: tuple[str, str, str]
) -> None:
    found = address_of(GitHubHost(host=host, api_url=api_url))
    assert (found.api, found.graphql, found.web) == expected


@pytest.mark.promise("lanes-G17")
@pytest.mark.parametrize("address", ["http://ghe.example/api/v3", "ftp://ghe.example", "https://u:p@ghe.example", "x"])
def test_an_address_without_https_is_refused(address: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        GitHubHost(host="ghe.example", api_url=address)


@pytest.mark.parametrize("host", ["", "https://ghe.example", "ghe.example/x", "a b", "-x.example", "x:port"])
def test_a_host_is_a_name_alone(host: str) -> None:
    with pytest.raises(ValueError, match="host alone"):
        GitHubHost(host=host)


def test_origins_are_compared_with_their_usual_ports() -> None:
    assert same_origin("https://api.github.com/x", "https://api.github.com:443")
    assert not same_origin("http://api.github.com/x", "https://api.github.com")
    assert not same_origin("https://api.github.com.evil.example/", "https://api.github.com")


@pytest.mark.asyncio
async def test_one_of_several_remotes_counts(tmp_path: Path) -> None:
    """Upstream of the branch, then origin, then the only one, then a person chooses."""

    def git(*words: str) -> None:
        subprocess.run(["git", *words], cwd=tmp_path, env=git_environment(), check=True)

    async def found(branch: str = "main", remote: str = "") -> str:
        told = await repository_of(tmp_path, branch, HOSTS, remote=remote)
        return told.slug if isinstance(told, RepositoryId) else f"{told.kind}: {told.text}"

    git("init", "-q", "-b", "main")
    assert await found() == "no_remote: This repository has no remote."
    git("remote", "add", "fork", "git@github.com:mona/app.git")
    assert await found() == "mona/app"
    git("remote", "add", "upstream", "https://github.com/acme/app")
    assert await found() == "choose_remote: Choose the remote that holds the pull requests: fork, upstream."
    assert await found(remote="upstream") == "acme/app"
    git("remote", "add", "origin", "https://github.com/octo/app")
    assert await found() == "octo/app"
    git("config", "branch.main.remote", "upstream")
    assert await found() == "acme/app"
    assert await found(branch="other") == "octo/app"
    git("config", "url.git@github.com:.insteadOf", "gh:")
    git("remote", "set-url", "origin", "gh:octo/short")
    assert await found(branch="") == "octo/short"
    git("remote", "set-url", "origin", "https://gitlab.com/octo/app")
    assert (await found(branch="")).startswith("other_host: This remote is not a GitHub host: gitlab.com.")
    git("remote", "set-url", "origin", str(tmp_path / "elsewhere.git"))
    assert await found(branch="") == "other_host: This remote is not a GitHub host. origin is a folder."
    nowhere = await repository_of(tmp_path / "gone", "main", HOSTS)
    assert isinstance(nowhere, ForgeProblem)
