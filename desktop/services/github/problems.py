"""The meaning of answers that are no success, in sentences for people (lanes-G22)."""

import json
from collections.abc import Mapping
from datetime import datetime
from typing import Literal

from desktop.domain.github.values import GitHubError
from desktop.domain.pulls.pull_request import ForgeProblem

ProblemKind = Literal[
    "unauthorised",
    "forbidden",
    "rate_limited",
    "not_found",
    "conflict",
    "invalid",
    "server",
    "offline",
    "bad_answer",
    "too_large",
]
NOT_ACCEPTED = "The token is not accepted. Sign in again."
NOT_FOUND = "Not found, or this token cannot see it."
MAX_SAID_CHARS = 600
MAX_TOLD = 5


class CodeExpired(GitHubError):
    """Nobody typed the code of a sign-in in time; another one can be asked for."""


class CodeDenied(GitHubError):
    """The person refused on the host's page."""


def failure(
    kind: ProblemKind,
    text: str,
    *,
    status: int = 0,
    said: str = "",
    answer_lost: bool = False,
) -> GitHubError:
    """An error of this kind."""
    return GitHubError(ForgeProblem(kind=kind, text=text), status=status, said=said, answer_lost=answer_lost)


def rate_limited(until: datetime, *, status: int = 0) -> GitHubError:
    """GitHub wants not to be asked before that."""
    shown = until.astimezone().strftime("%H:%M")
    problem = ForgeProblem(kind="rate_limited", text=f"GitHub asks to wait until {shown}.", until=until)
    return GitHubError(problem, status=status)


def answer_failure(status: int, headers: Mapping[str, str], body: bytes) -> GitHubError:
    """The failure that an answer with this status, which names no limit, means."""
    said = said_in(body)
    if status == 401:
        return failure("unauthorised", NOT_ACCEPTED, status=status, said=said)
    if status == 403:
        return _forbidden(headers, said)
    if status in (404, 410):
        text = NOT_FOUND if status == 404 else "GitHub does not keep this any longer."
        return failure("not_found", text, status=status, said=said)
    if status == 409:
        return failure(
            "conflict", _told("GitHub refuses: it conflicts with what is there now", said), status=status, said=said
        )
    if status >= 500:
        text = f"GitHub has a fault just now (status {status}). Try again in a moment."
        return failure("server", text, status=status, said=said)
    if status in (400, 405, 406, 422):
        return failure("invalid", _told("GitHub refuses it", said), status=status, said=said)
    return failure("bad_answer", f"GitHub answered with the unexpected status {status}.", status=status, said=said)


def said_in(body: bytes) -> str:
    """GitHub's own message in an answer, with what it names as wrong; "" for none."""
    try:
        value = json.loads(body)
    except ValueError:
        return ""
    if not isinstance(value, dict):
        return ""
    message = value.get("message")
    said = [message.strip().rstrip(".")] if isinstance(message, str) else []
    errors = value.get("errors")
    if isinstance(errors, str):
        errors = [errors]
    details = [_detail(one) for one in errors[:MAX_TOLD]] if isinstance(errors, list) else []
    if any(details):
        said.append("; ".join(one for one in details if one))
    return ": ".join(said)[:MAX_SAID_CHARS]


def graphql_failure(errors: list[dict[str, object]]) -> GitHubError:
    """The failure that the `errors` of an answer with status 200 mean."""
    kinds = {str(one.get("type", "")) for one in errors}
    said = "; ".join(str(one.get("message", "")).strip() for one in errors[:MAX_TOLD])[:MAX_SAID_CHARS]
    if kinds & {"INSUFFICIENT_SCOPES", "FORBIDDEN"}:
        right = ", ".join(sorted({_scopes(one) for one in errors} - {""}))
        return _forbidden_by(right, _lacks(right, said), 200, said)
    if "NOT_FOUND" in kinds:
        return failure("not_found", NOT_FOUND, said=said, status=200)
    if kinds == {""} and "went wrong" in said.lower():
        return failure("server", "GitHub has a fault just now. Try again in a moment.", said=said, status=200)
    return failure("invalid", _told("GitHub refuses it", said), said=said, status=200)


def _forbidden(headers: Mapping[str, str], said: str) -> GitHubError:
    if headers.get("x-github-sso", "").startswith("required"):
        text = "The organisation wants single sign-on for this token. Authorise it in GitHub's settings of tokens."
        return _forbidden_by("single sign-on", text, 403, said)
    right = headers.get("x-accepted-github-permissions", "")
    if not right:
        has = {one.strip() for one in headers.get("x-oauth-scopes", "").split(",")}
        accepted = [one.strip() for one in headers.get("x-accepted-oauth-scopes", "").split(",") if one.strip()]
        right = "" if has & set(accepted) else " or ".join(accepted)
    return _forbidden_by(right, _lacks(right, said), 403, said)


def _forbidden_by(right: str, text: str, status: int, said: str) -> GitHubError:
    return GitHubError(ForgeProblem(kind="forbidden", text=text, right=right), status=status, said=said)


def _lacks(right: str, said: str) -> str:
    if right:
        return f"The token lacks the right {right}. Give it that right on GitHub, or sign in with another token."
    return _told("This account may not do that", said)


def _told(text: str, said: str) -> str:
    return f"{text}: {said}." if said else f"{text}."


def _detail(error: object) -> str:
    if isinstance(error, str):
        return error.strip().rstrip(".")
    if not isinstance(error, dict):
        return ""
    if isinstance(message := error.get("message"), str):
        return message.strip().rstrip(".")
    return " ".join(str(error[key]) for key in ("field", "code") if isinstance(error.get(key), str))


def _scopes(error: dict[str, object]) -> str:
    """The rights that the words of an error name: GitHub says them in brackets."""
    message = str(error.get("message", ""))
    _, found, rest = message.partition("one of the following scopes: [")
    return rest.partition("]")[0].replace("'", "").replace('"', "") if found else ""
