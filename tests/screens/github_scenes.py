"""Scenes of the sign-in to GitHub in the settings."""

from collections.abc import AsyncIterator
from datetime import timedelta

from desktop.config.settings import GITHUB, GitHubHost
from desktop.domain.core.update import Update
from desktop.domain.github.updates import GitHubChanged, SignInProgress
from desktop.domain.github.values import GitHubAccount
from tests.screens.stage import NOW, Stage

HOSTS = (GITHUB, GitHubHost(host="github.acme.example"))
_NONE = GitHubAccount(host="github.com", api_url="https://api.github.com", device=True)
_ACME = GitHubAccount(host="github.acme.example", api_url="https://github.acme.example/api/v3")
_KEYRING = "This system has no keyring. The key is kept until Banksman closes."
_CONNECTED = _NONE.model_copy(
    update={
        "state": "connected", "login": "ada-lovelace", "source": "token", "kept": "keyring",
        "scopes": ("read:org", "repo", "workflow"), "expires_at": NOW + timedelta(days=21),
    }
)  # fmt: skip
_READ_ONLY = _ACME.model_copy(
    update={
        "state": "connected", "login": "ada", "source": "gh", "kept": "memory", "scopes": ("read:org",),
        "read_only": "The token has neither the right repo nor public_repo, so pull requests can only be read.",
    }
)  # fmt: skip


async def _told(stage: Stage, *updates: Update) -> None:
    stage.window.apply_updates(list(updates))
    await stage.rest()


async def settings_github(stage: Stage) -> AsyncIterator[str]:
    """33, GitHub: nobody, a code, accounts, what is wrong, one more host"""
    stage.window.show_settings("github")
    await stage.find("github_card")
    await stage.rest()
    await _told(stage, GitHubChanged(accounts=(_NONE, _ACME), gh=True))
    yield "33-settings-github"
    code = SignInProgress(
        host="github.com", step="code", user_code="WDJB-MJHT", address="https://github.com/login/device",
        expires_at=NOW + timedelta(minutes=15), text="Type this code on https://github.com/login/device.",
    )  # fmt: skip
    await _told(stage, code)
    yield "33-settings-github-code"
    expired = SignInProgress(host="github.com", step="expired", text="The code has expired. Ask for a new one.")
    await _told(stage, expired)
    yield "33-settings-github-code-expired"
    done = SignInProgress(host="github.com", step="done", text="Signed in to github.com as ada-lovelace.")
    kept = _CONNECTED.model_copy(update={"kept": "memory"})
    await _told(stage, done, GitHubChanged(accounts=(kept, _READ_ONLY), gh=True, keyring_problem=_KEYRING))
    yield "33-settings-github-connected"
    refused = _CONNECTED.model_copy(update={"state": "expired", "problem": "The token is not accepted. Sign in again."})
    offline = _READ_ONLY.model_copy(
        update={
            "state": "offline", "read_only": "",
            "problem": "github.acme.example could not be reached. Check the network and try again.",
        }
    )  # fmt: skip
    await _told(stage, GitHubChanged(accounts=(refused, offline), gh=True))
    yield "33-settings-github-wrong"
    await stage.click("github_add")
    await stage.click("github_new_add")
    await stage.rest()
    yield "33-settings-github-add"
