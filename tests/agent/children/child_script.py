"""A model that plays a chat and its children, each by its own script."""

import threading
from collections import deque

from tests.fakes.fake_model_api import RecordedRequest
from tests.fakes.model_turns import Answer, http_failure


def first_words(request: RecordedRequest) -> str:
    """The first thing that the chat was told, by which its script is found."""
    first = request.messages[0]["content"]
    return str(first) if isinstance(first, str) else " ".join(str(part.get("text", "")) for part in first)


class Cast:
    """Answers each request from the script whose name stands in the first message of its chat. Any thread."""

    def __init__(self, **scripts: list[Answer]) -> None:
        self._scripts = {name: deque(answers) for name, answers in scripts.items()}
        self._lock = threading.Lock()
        self.asked: dict[str, list[RecordedRequest]] = {name: [] for name in scripts}

    def __call__(self, request: RecordedRequest) -> Answer:
        words = first_words(request)
        with self._lock:
            for name, script in self._scripts.items():
                if name in words:
                    self.asked[name].append(request)
                    return (
                        script.popleft() if script else http_failure(400, "invalid_request_error", f"{name}: no more")
                    )
        return http_failure(400, "invalid_request_error", f"nobody plays {words[:80]!r}")
