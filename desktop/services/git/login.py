"""The token of a connected host for one call of git over https: a setting in its environment alone (lanes-G18)."""

import base64
from collections.abc import Awaitable, Callable
from urllib.parse import urlsplit

from pydantic import SecretStr

from desktop.domain.core.errors import GitError
from desktop.services.git.run import Git

Login = Callable[[str], Awaitable[SecretStr | None]]
"""By host, as in the address of a remote: the token of the account that is signed in there."""

_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_PORTS = {"https": 443, "http": 80}
_HARMLESS = frozenset(
    {
        "http.postbuffer",
        "http.version",
        "http.lowspeedlimit",
        "http.lowspeedtime",
        "http.maxrequests",
        "http.minsessions",
        "http.keepaliveidle",
        "http.keepaliveinterval",
        "http.keepalivecount",
    }
)
"""Settings of a repository that change neither who is spoken to nor how they are known."""
_ASKED = r"^http\.|^remote\..*\.(proxy|proxyauthmethod|vcs)$"


async def no_login(host: str) -> SecretStr | None:
    """For calls that use the person's own login of git alone."""
    return None


async def login_settings(git: Git, remote: str, login: Login, *, push: bool = False) -> dict[str, str]:
    """The setting by which git sends the token to the host of this remote and to no other; {} where there is none.

    None is given where settings of the repository itself say how https is spoken, a proxy for one: who wrote them
    could read it. Git then uses the login that the person set up for it.
    """
    try:
        words = ("remote", "get-url", *(("--push",) if push else ()), "--", remote)
        address = urlsplit((await git.run(*words)).stdout.strip())
        port = address.port
    except (GitError, ValueError):
        return {}
    host = (address.hostname or "").lower()
    if not host or address.password or not _is_safe(address.scheme, host):
        return {}
    place = f"[{host}]" if ":" in host else host
    if port is not None and port != _PORTS[address.scheme]:
        place = f"{place}:{port}"
    token = await login(place)
    if token is None or await _speaks_its_own_way(git):
        return {}
    packed = base64.b64encode(f"x-access-token:{token.get_secret_value()}".encode()).decode()
    return {f"http.{address.scheme}://{place}/.extraHeader": f"Authorization: Basic {packed}"}


def _is_safe(scheme: str, host: str) -> bool:
    return scheme == "https" or (scheme == "http" and host in _LOOPBACK)


async def _speaks_its_own_way(git: Git) -> bool:
    """Whether the settings of the repository, not the person's, say how https is spoken."""
    words = ("config", "--show-scope", "--null", "--name-only", "--get-regexp", _ASKED)
    listed = await git.run(*words, check=False)
    if listed.status not in (0, 1):
        return True
    parts = listed.stdout.split("\0")
    found = zip(parts[::2], parts[1::2], strict=False)
    return any(scope in ("local", "worktree") and key not in _HARMLESS for scope, key in found)
