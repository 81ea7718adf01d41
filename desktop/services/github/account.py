"""The account that a token belongs to, and what it may do (lanes-G16)."""

from datetime import UTC, datetime

from desktop.records import dataclass
from desktop.services.github import rest_models as rest
from desktop.services.github.problems import failure
from desktop.services.github.transport import Transport, parsed

NO_RIGHT = "The token has neither the right repo nor public_repo, so pull requests can only be read."
_FORMATS = ("%Y-%m-%d %H:%M:%S %z", "%Y-%m-%d %H:%M:%S UTC")


@dataclass(frozen=True)
class WhoAmI:
    """`scopes`: of a classic token, () of one whose rights are told by request. `read_only`: why it cannot write."""

    login: str
    scopes: tuple[str, ...] = ()
    expires_at: datetime | None = None
    read_only: str = ""


async def who_am_i(transport: Transport) -> WhoAmI:
    """Ask whose token this is.

    Raises:
        GitHubError: the token is refused, or nobody answered.
    """
    answer = await transport.answer(f"{transport.address.api}/user")
    user = parsed(answer, rest.User.model_validate_json)
    if not user.login:
        raise failure("bad_answer", "GitHub did not tell whose token this is.")
    told = answer.headers.get("x-oauth-scopes")
    scopes = tuple(sorted(one.strip() for one in (told or "").split(",") if one.strip()))
    writes = told is None or bool({"repo", "public_repo"} & set(scopes))
    expires_at = _moment(answer.headers.get("github-authentication-token-expiration", ""))
    return WhoAmI(user.login, scopes, expires_at, "" if writes else NO_RIGHT)


def _moment(text: str) -> datetime | None:
    for form in _FORMATS:
        try:
            found = datetime.strptime(text.strip(), form)  # noqa: DTZ007  # a form without a zone is UTC
        except ValueError:
            continue
        return found.astimezone(UTC) if found.tzinfo is not None else found.replace(tzinfo=UTC)
    return None
