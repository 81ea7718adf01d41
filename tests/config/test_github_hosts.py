"""Hosts of GitHub in the settings."""

from pathlib import Path

import pytest

from desktop.config.settings import GITHUB, GitHubHost, Settings
from desktop.config.settings_file import load_settings, save_settings


def test_hosts_are_written_and_read_with_who_is_signed_in(tmp_path: Path) -> None:
    file = tmp_path / "settings.toml"
    mine = GITHUB.model_copy(update={"login": "octo", "source": "gh"})
    hosts = (mine, GitHubHost(host="ghe.example", api_url="https://ghe.example/api/v3"))
    save_settings(file, Settings(github=hosts))
    assert load_settings(file).github == hosts
    assert load_settings(file).github_host("ghe.example") == hosts[1]
    assert load_settings(file).github_host("gitlab.com") is None


def test_github_com_is_always_there_and_no_host_twice() -> None:
    assert Settings(github=(GitHubHost(host="ghe.example"),)).github[0] == GITHUB
    with pytest.raises(ValueError, match="stands there once"):
        Settings(github=(GITHUB, GITHUB))
