"""Commands about the sign-in to GitHub."""

from typing import ClassVar, Literal

from pydantic import SecretStr

from desktop.domain.core.command import Command


class LoadGitHub(Command):
    """Tell how every host of GitHub stands; those with a token are asked whom it belongs to. → GitHubChanged, twice
    while asking."""

    reads: ClassVar[bool] = True
    type: Literal["load_github"] = "load_github"


class SignInWithToken(Command):
    """Use a token that a person pasted. It is kept only after the host accepted it. → SignInProgress, GitHubChanged."""

    reads: ClassVar[bool] = True
    type: Literal["sign_in_with_token"] = "sign_in_with_token"
    host: str
    token: SecretStr


class SignInWithGh(Command):
    """Use the login of the `gh` command line. → SignInProgress, GitHubChanged."""

    reads: ClassVar[bool] = True
    type: Literal["sign_in_with_gh"] = "sign_in_with_gh"
    host: str


class SignInWithDevice(Command):
    """Ask for a code that a person types on the host's page. → SignInProgress several times, GitHubChanged."""

    reads: ClassVar[bool] = True
    type: Literal["sign_in_with_device"] = "sign_in_with_device"
    host: str


class StopSignIn(Command):
    """Ask no more whether the code was typed. → SignInProgress."""

    reads: ClassVar[bool] = True
    type: Literal["stop_sign_in"] = "stop_sign_in"
    host: str


class SignOut(Command):
    """Forget the token here; at the host it stays valid. → GitHubChanged."""

    reads: ClassVar[bool] = True
    type: Literal["sign_out"] = "sign_out"
    host: str


class SaveGitHubHost(Command):
    """Add a host, or change its address; `api_url` "": the usual one. At another address its token does not count.
    → SettingsChanged, GitHubChanged."""

    reads: ClassVar[bool] = True
    type: Literal["save_github_host"] = "save_github_host"
    host: str
    api_url: str = ""


class RemoveGitHubHost(Command):
    """Forget a host and its token. → SettingsChanged, GitHubChanged."""

    reads: ClassVar[bool] = True
    type: Literal["remove_github_host"] = "remove_github_host"
    host: str
