"""Fetch and push over HTTP: `git http-backend` behind the token check."""

import base64
import subprocess

from tests.fakes.github.changes import Changes
from tests.fakes.github.git_repository import git_environment
from tests.fakes.github.model import Account, Repo, Token
from tests.fakes.github.wire import Answer, Request

SERVICES = ("git-upload-pack", "git-receive-pack")
PASSED_ON = {
    "content-type": "CONTENT_TYPE",
    "content-encoding": "HTTP_CONTENT_ENCODING",
    "git-protocol": "GIT_PROTOCOL",
}


def token_of(request: Request) -> str:
    """The token in its authorization header, "" for none: `Bearer t`, `token t` or Basic with the token as password
    (or as name, with an empty password or `x-oauth-basic`)."""
    kind, _, given = request.headers.get("authorization", "").partition(" ")
    if kind.lower() != "basic":
        return given.strip()
    try:
        name, _, password = base64.b64decode(given).decode().partition(":")
    except ValueError:
        return "?"
    return password if password not in {"", "x-oauth-basic"} else name


def is_git(path: str) -> bool:
    """Whether the path is one of git's."""
    return path.endswith(("/info/refs", *(f"/{service}" for service in SERVICES))) and path.count("/") in {3, 4}


def answer_git(request: Request, changes: Changes, viewer: Account | None, token: Token | None) -> Answer:
    """What git gets. A token that is not valid is 401, also where none is needed; who may not push gets 403."""
    if token_of(request) and token is None:
        return _unauthorized()
    owner, name, rest = request.path.removeprefix("/").split("/", 2)
    name = name.removesuffix(".git")
    repo = changes.world.repo_named(owner, name)
    moved_to = changes.world.repos.get(changes.world.old_names.get(f"{owner}/{name}".lower(), 0))
    if repo is None and moved_to is not None:
        query = f"?{request.query_string}" if request.query_string else ""
        return Answer(301, headers={"Location": f"/{moved_to.full_name}.git/{rest}{query}"})
    service = request.query.get("service", "") if rest == "info/refs" else rest
    if repo is None or not repo.allows(viewer, "read"):
        return _unauthorized() if viewer is None else _text(404, "Repository not found.")
    pushing = service == "git-receive-pack"
    if token is not None and not token.reaches(private=repo.private, writing=pushing):
        return _text(403, "Write access to repository not granted.")
    if pushing and viewer is None:
        return _unauthorized()
    if pushing and (repo.archived or not repo.allows(viewer, "write")):
        login = viewer.login if viewer is not None else ""
        return _text(403, f"Permission to {repo.full_name}.git denied to {login}.")
    if rest != "git-receive-pack" or viewer is None:
        return _backend(request, repo, rest, viewer)
    with changes.world.lock:
        before = repo.git.refs()
        answer = _backend(request, repo, rest, viewer)
        changes.refs_moved(repo, before, viewer)
    return answer


def _backend(request: Request, repo: Repo, rest: str, viewer: Account | None) -> Answer:
    passed = {variable: request.headers[name] for name, variable in PASSED_ON.items() if name in request.headers}
    environment = git_environment(
        GIT_PROJECT_ROOT=str(repo.git.folder), GIT_HTTP_EXPORT_ALL="1", PATH_INFO=f"/{rest}",
        REQUEST_METHOD=request.method, QUERY_STRING=request.query_string, CONTENT_LENGTH=str(len(request.raw)),
        REMOTE_ADDR="127.0.0.1", **passed, **({"REMOTE_USER": viewer.login} if viewer is not None else {}),
    )  # fmt: skip
    ended = subprocess.run(["git", "http-backend"], input=request.raw, capture_output=True, env=environment, timeout=25)
    head, _, body = ended.stdout.partition(b"\r\n\r\n")
    fields = [line.split(": ", 1) for line in head.decode().split("\r\n") if ": " in line]
    headers = {name.lower(): value for name, value in fields}
    status = int(headers.pop("status", "200 OK" if fields else "500 git ended").split()[0])
    kind = headers.pop("content-type", "text/plain")
    return Answer(status, raw=body, headers=headers, content_type=kind)


def _unauthorized() -> Answer:
    answer = _text(401, "Invalid username or token. Password authentication is not supported for Git operations.")
    answer.headers["WWW-Authenticate"] = 'Basic realm="GitHub"'
    return answer


def _text(status: int, message: str) -> Answer:
    return Answer(status, raw=f"{message}\n".encode(), content_type="text/plain")
