"""From a request to its answer: token, limits, faults, the route, the check against GitHub's description, ETag."""

import hashlib
import re
import traceback
from collections import deque
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from tests.fakes.github.changes import Changes
from tests.fakes.github.device_flow import DeviceFlow
from tests.fakes.github.faults import Rule
from tests.fakes.github.git_http import answer_git, is_git, token_of
from tests.fakes.github.graphql_answers import answer_graphql, root_fields, wrong_document
from tests.fakes.github.honesty import documentation, told, wrong_answer, wrong_request
from tests.fakes.github.model import Account, Token, World
from tests.fakes.github.router import Call, Urls
from tests.fakes.github.routes import ROUTES, route_of
from tests.fakes.github.wire import Answer, Exchange, Fault, Refusal, Request, not_found

API_VERSIONS = ("2022-11-28", "2026-03-10")


@dataclass
class Rate:
    """The quota of all tokens together; it is full again at `resets_at`."""

    resets_at: datetime
    limit: int = 5000
    remaining: int = 5000

    def at(self, now: datetime) -> "Rate":
        """Itself, filled again if it is time."""
        if now >= self.resets_at:
            self.remaining, self.resets_at = self.limit, now + timedelta(hours=1)
        return self


@dataclass
class Service:
    """Answers requests, in any thread, one at a time (`world.lock`)."""

    world: World
    changes: Changes
    rate: Rate
    web: str = ""
    rules: deque[Rule] = field(default_factory=deque)
    device: DeviceFlow = field(default_factory=DeviceFlow)
    departures: list[str] = field(default_factory=list)

    def named(self, path: str) -> str:
        """The path by the repository's present name, where it has its number, as the ways of renamed ones do."""
        numbered = re.fullmatch(r"/repositories/(\d+)(/.*)?", path)
        repo = self.world.repos.get(int(numbered[1])) if numbered else None
        return f"/repos/{repo.full_name}{numbered[2] or ''}" if numbered and repo is not None else path

    def exchange(self, request: Request) -> Exchange:
        """The answer, and what it cost; a fault that is scripted for the request counts as taken."""
        with self.world.lock:
            fault = self._fault_of(request)
            token = self._token(request)
            viewer = self.world.account(token.login) if token is not None else None
            found = route_of(request.method, request.path)
            route = found[0] if found else ""
            exchange = Exchange(request, None, route, viewer.login if viewer else "", fault)
            wrong = wrong_request(request, *found) if found else []
            wrong += wrong_document(request) if request.path == "/graphql" else []
            if fault is not None and fault.instead is not None:
                exchange.answer = Answer(**vars(fault.instead))
                exchange.answer.headers = {**self._headers(token, 0), **exchange.answer.headers}
                wrong += wrong_answer(request.method, route, exchange.answer) if found and fault.instead.body else []
            elif fault is None or fault.cut != "before":
                exchange.answer, more = self._answer_or_own_up(request, found, token, viewer)
                wrong += more
            self.departures += told(exchange, wrong)
            return exchange

    def _fault_of(self, request: Request) -> Fault | None:
        found = route_of(request.method, request.path)
        names = request_names(request, found[0] if found else "")
        return next((rule.fault for rule in self.rules if rule.takes(names)), None)

    def _answer_or_own_up(
        self, request: Request, found: tuple[str, dict[str, str]] | None, token: Token | None, viewer: Account | None
    ) -> tuple[Answer, list[str]]:
        try:
            return self._answer(request, found, token, viewer)
        except Exception:  # noqa: BLE001  whatever it is, it is told at the end of the test
            broken = Refusal(500, "The stand-in failed").answer()
            return broken, [f"the stand-in failed: {traceback.format_exc()}"]

    def _answer(
        self, request: Request, found: tuple[str, dict[str, str]] | None, token: Token | None, viewer: Account | None
    ) -> tuple[Answer, list[str]]:
        """The answer, and in which way it or the request departs from what GitHub describes."""
        if is_git(request.path):
            return answer_git(request, self.changes, viewer, token), []
        if request.path == "/login/device/code":
            return self.device.code(request, self.web), []
        if request.path == "/login/oauth/access_token":
            return self.device.poll(request), []
        if request.path == "/graphql":
            return self._graphql(request, token, viewer)
        answer = self._interface(request, found, token, viewer)
        if found is None:
            return answer, ["the stand-in does not serve this route"]
        return answer, wrong_answer(request.method, found[0], answer)

    def _graphql(self, request: Request, token: Token | None, viewer: Account | None) -> tuple[Answer, list[str]]:
        wrong: list[str] = []
        try:
            self._admit(request, token)
            if viewer is None or token is None:
                raise Refusal(401, "This endpoint requires you to be authenticated.")
            if request.method != "POST":
                raise not_found()
            answer, wrong = answer_graphql(request, self.changes, viewer, token, self._urls(request))
        except Refusal as refusal:
            answer = refusal.answer("https://docs.github.com/graphql")
        return self._finished(request, answer, token, "graphql"), wrong

    def _token(self, request: Request) -> Token | None:
        token = self.world.tokens.get(token_of(request))
        if token is None or token.revoked or (token.expires_at is not None and token.expires_at <= self.world.now()):
            return None
        return token

    def _interface(
        self, request: Request, found: tuple[str, dict[str, str]] | None, token: Token | None, viewer: Account | None
    ) -> Answer:
        route, params = found or ("", {})
        try:
            self._admit(request, token)
            call = Call(request, route, params, viewer, token, self.changes, self._urls(request))
            answer = self._moved(call) or self._served(call)
        except Refusal as refusal:
            answer = refusal.answer(documentation(request.method, route)) if route else refusal.answer()
        return self._finished(request, answer, token)

    def _admit(self, request: Request, token: Token | None) -> None:
        if not request.headers.get("user-agent"):
            raise Refusal(
                403, "Request forbidden by administrative rules. Please make sure your request has a User-Agent header"
            )
        if request.headers.get("x-github-api-version", API_VERSIONS[0]) not in API_VERSIONS:
            raise Refusal(400, "The given API version is not supported.")
        if token is None and token_of(request):
            raise Refusal(401, "Bad credentials")
        if self.rate.at(self.world.now()).remaining <= 0:
            raise Refusal(403, "API rate limit exceeded for user ID 1000001.")

    def _served(self, call: Call) -> Answer:
        handler = ROUTES.get((call.request.method, call.route))
        if handler is None:
            raise not_found()
        return handler(call)

    def _moved(self, call: Call) -> Answer | None:
        """The way to a repository that has another name now."""
        owner, repo = call.params.get("owner", ""), call.params.get("repo", "")
        if not repo or self.world.repo_named(owner, repo) is not None:
            return None
        number = self.world.old_names.get(f"{owner}/{repo}".lower())
        if number is None:
            return None
        rest = call.request.path.split("/", 4)[4:]
        query = f"?{call.request.query_string}" if call.request.query_string else ""
        to = f"{call.urls.api}/repositories/{'/'.join([str(number), *rest])}{query}"
        body = {"message": "Moved Permanently", "url": to, "documentation_url": "https://docs.github.com/rest"}
        return Answer(301 if call.request.method == "GET" else 307, body, {"Location": to})

    def _urls(self, request: Request) -> Urls:
        return Urls(self.web + request.api, self.web)

    def _finished(self, request: Request, answer: Answer, token: Token | None, resource: str = "core") -> Answer:
        unchanged = False
        if request.method == "GET" and answer.status == 200:
            seen = hashlib.sha256(answer.payload() + (token.value if token else "").encode()).hexdigest()
            answer.headers["ETag"] = f'W/"{seen}"'
            given = request.headers.get("if-none-match", "")
            unchanged = seen in given or given == "*"
        if unchanged:
            answer = Answer(304, headers=answer.headers)
        counted = not unchanged and self.rate.remaining > 0 and answer.status != 401
        quota = {**self._headers(token, int(counted)), "x-ratelimit-resource": resource}
        answer.headers = {**quota, **answer.headers}
        return answer

    def _headers(self, token: Token | None, cost: int) -> dict[str, str]:
        rate = self.rate
        rate.remaining -= cost
        headers = {
            "x-ratelimit-limit": str(rate.limit), "x-ratelimit-remaining": str(rate.remaining),
            "x-ratelimit-used": str(rate.limit - rate.remaining),
            "x-ratelimit-reset": str(int(rate.resets_at.timestamp())),
            "x-ratelimit-resource": "core", "X-GitHub-Request-Id": f"{self.world.new_id():X}",
            "Date": _http(self.world),
            "X-GitHub-Media-Type": "github.v3; format=json", "Vary": "Accept, Authorization",
        }  # fmt: skip
        if token is not None and token.scopes is not None:
            headers |= {"X-OAuth-Scopes": ", ".join(token.scopes), "X-Accepted-OAuth-Scopes": "repo"}
        if token is not None and token.expires_at is not None:
            headers["github-authentication-token-expiration"] = token.expires_at.strftime("%Y-%m-%d %H:%M:%S UTC")
        return headers


def request_names(request: Request, route: str) -> list[str]:
    """What a pattern for requests is held against: the path, the described path, the fields of a GraphQL document."""
    names = [f"{request.method} {request.path}"] + ([f"{request.method} {route}"] if route else [])
    fields = root_fields(request) if request.path == "/graphql" else []
    return names + [f"{request.method} {request.path} {name}" for name in fields]


def _http(world: World) -> str:
    return world.now().strftime("%a, %d %b %Y %H:%M:%S GMT")
