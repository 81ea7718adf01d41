"""Commands about the sign-in to GitHub."""

from typing import Literal

from pydantic import SecretStr

from desktop.domain.chats.commands import CommandBase


class LoadGitHub(CommandBase):
    """How every host stands; those with a token are asked who it belongs to. → GitHubChanged, twice while asking."""

    type: Literal["load_github"] = "load_github"


class SignInWithToken(CommandBase):
    """Use a token that a person pasted. It is kept only after the host accepted it. → SignInProgress, GitHubChanged."""

    type: Literal["sign_in_with_token"] = "sign_in_with_token"
    host: str
    token: SecretStr


class SignInWithGh(CommandBase):
    """Use the login of the `gh` command line. → SignInProgress, GitHubChanged."""

    type: Literal["sign_in_with_gh"] = "sign_in_with_gh"
    host: str


class SignInWithDevice(CommandBase):
    """Ask for a code that a person types on the host's page. → SignInProgress several times, GitHubChanged."""

    type: Literal["sign_in_with_device"] = "sign_in_with_device"
    host: str


class StopSignIn(CommandBase):
    """Ask no more whether the code was typed. → SignInProgress."""

    type: Literal["stop_sign_in"] = "stop_sign_in"
    host: str


class SignOut(CommandBase):
    """Forget the token here; at the host it stays valid. → GitHubChanged."""

    type: Literal["sign_out"] = "sign_out"
    host: str


class SaveGitHubHost(CommandBase):
    """Add a host, or change its address; `api_url` "": the usual one. At another address its token does not count.
    → SettingsChanged, GitHubChanged."""

    type: Literal["save_github_host"] = "save_github_host"
    host: str
    api_url: str = ""


class RemoveGitHubHost(CommandBase):
    """Forget a host and its token. → SettingsChanged, GitHubChanged."""

    type: Literal["remove_github_host"] = "remove_github_host"
    host: str


GitHubCommand = (
    LoadGitHub | SignInWithToken | SignInWithGh | SignInWithDevice | StopSignIn | SignOut | SaveGitHubHost
    | RemoveGitHubHost
)  # fmt: skip
