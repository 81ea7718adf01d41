"""A request as it arrived, its answer, and the refusals in the shape GitHub gives them."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import parse_qsl

DOCUMENTATION = "https://docs.github.com/rest"


@dataclass(frozen=True)
class Request:
    """Header names in lower case. `path` without the query, decoded; `api` is "" or "/api/v3", taken off `path`."""

    method: str
    path: str
    api: str
    query_string: str
    headers: Mapping[str, str]
    raw: bytes
    at: float = field(default_factory=time.monotonic)

    @property
    def query(self) -> dict[str, str]:
        """The parameters after the question mark; the last of a name counts."""
        return dict(parse_qsl(self.query_string, keep_blank_values=True))

    @property
    def body(self) -> Any:
        """Its JSON, or None when it has none."""
        try:
            return json.loads(self.raw)
        except ValueError:
            return None


@dataclass
class Answer:
    """`body` is sent as JSON unless `raw` is given; None: no body."""

    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: bytes | None = None
    content_type: str = "application/json; charset=utf-8"

    def payload(self) -> bytes:
        """The bytes that are sent."""
        if self.raw is not None:
            return self.raw
        return b"" if self.body is None else json.dumps(self.body, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Fault:
    """What goes wrong, see `faults`. `instead`: this answer and nothing happens. `cut`: before (nothing happens), after
    (it happened, no answer) or within (half of the answer arrives). `delay_s`: before the answer, not before what it
    does."""

    name: str
    instead: Answer | None = None
    cut: str = ""
    delay_s: float = 0.0


@dataclass
class Exchange:
    """A request and what was answered. `answer` None: the connection was closed without one. `route` is the described
    path, "" where none matched; `login` "" without a valid token; `fault` what was scripted for it."""

    request: Request
    answer: Answer | None
    route: str
    login: str
    fault: Fault | None = None

    @property
    def status(self) -> int:
        """The status that was sent, 0 for none."""
        return self.answer.status if self.answer is not None else 0

    def __str__(self) -> str:
        return f"{self.request.method} {self.request.path} -> {self.status}"


class Refusal(Exception):
    """GitHub says no, with this status and body."""

    def __init__(self, status: int, message: str, *, errors: Sequence[Mapping[str, Any]] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.errors = errors
        self.headers: dict[str, str] = {}

    def answer(self, documentation: str = DOCUMENTATION) -> Answer:
        """It as an answer."""
        body: dict[str, Any] = {"message": self.message}
        if self.errors is not None:
            body["errors"] = [dict(error) for error in self.errors]
        body |= {"documentation_url": documentation, "status": str(self.status)}
        return Answer(self.status, body, dict(self.headers))


def not_found() -> Refusal:
    """Nothing there, or this token cannot see it."""
    return Refusal(404, "Not Found")


def invalid(resource: str, message: str = "", *, field: str = "", code: str = "custom") -> Refusal:
    """422 with GitHub's error list."""
    error = {"resource": resource, "field": field, "code": code, "message": message}
    return Refusal(422, "Validation Failed", errors=[{key: value for key, value in error.items() if value}])
