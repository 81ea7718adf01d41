"""How often and when a failed model request is tried again, and what people read about it (sessions-SY2)."""

import random
from datetime import datetime, timedelta

from desktop.config.settings import Endpoint
from desktop.domain.core.usage import Usage
from desktop.domain.events import ProviderFailed
from desktop.providers.base import Failure, ProviderError
from desktop.providers.kinds import request_cost

BASE_WAIT_S = 1.0
MAX_WAIT_S = 30.0
LONGEST_WAIT_S = 15 * 60.0
RETRIES_PER_TURN = 20
SAID_CHARS = 200
_JITTER = random.SystemRandom()


def wait_before(attempt: int, failure: Failure) -> float | None:
    """Seconds to wait after failed attempt number `attempt` (from 1): 1, 2, 4, 8 … 30, times 1.0 to 1.25, and never
    less than the service asked for. None: not worth waiting, the service asks for more than 15 minutes."""
    if failure.wait_s > LONGEST_WAIT_S:
        return None
    wait = min(BASE_WAIT_S * 2.0 ** (attempt - 1), MAX_WAIT_S) * _JITTER.uniform(1.0, 1.25)
    return float(max(wait, failure.wait_s))


def failed_attempt(
    error: ProviderError,
    endpoint: Endpoint | None,
    model: str,
    turn_id: str,
    attempt: tuple[int, int],
    wait: float | None,
) -> ProviderFailed:
    """A failed attempt, of how many, as it is recorded: its tokens are spent (sessions-SK1). `wait`: seconds until the
    next one, None: there is none."""
    failure = error.failure
    return ProviderFailed(
        turn_id=turn_id,
        attempt=attempt[0],
        max_attempts=attempt[1],
        category=failure.category,
        http_status=failure.http_status,
        error_type=failure.error_type,
        message=failure.message,
        request_id=failure.request_id,
        will_retry=wait is not None,
        wait_s=wait or 0.0,
        usage=error.usage,
        cost_microusd=request_cost(endpoint, model, error.usage) if error.usage != Usage() else None,
    )


def failure_sentence(failure: Failure, label: str, model: str, host: str, now: datetime | None = None) -> str:
    """What went wrong with a request, and where, as one sentence for people. `now`: to say from when it may work."""
    said = f": {failure.message[:SAID_CHARS]}" if failure.message else ""
    again = _again(now, failure.wait_s) if now is not None and failure.wait_s else "Try again later."
    sentences = {
        "auth": f"The key was refused by {label}. Replace it in Settings › Providers & keys.",
        "permission": f"This key may not use {model}. Choose another model.",
        "billing": f"The account at {label} has no credit.",
        "not_found": f"{model} does not exist at {label}. Choose another model.",
        "bad_request": f"{label} refused the request (request {failure.request_id})."
        if failure.request_id
        else f"{label} refused the request.",
        "too_large": "The chat no longer fits the model. Start a new chat or choose another model.",
        "context_overflow": "The chat no longer fits the model. Start a new chat or choose another model.",
        "rate_limited": f"{label} limits requests. {again}",
        "overloaded": f"The model is overloaded. {again}",
        "server": f"The service of {label} failed.",
        "network": f"No connection to {host}.",
        "timeout": f"No answer from {host} in time.",
        "tls": f"The certificate of {host} is not trusted{said}",
        "not_an_api": f"{host} does not answer like a model service{said}",
    }
    return sentences[failure.category]


def _again(now: datetime, wait_s: float) -> str:
    at = (now + timedelta(seconds=wait_s)).astimezone()
    if at.date() == now.astimezone().date():
        return f"Possible again at {at:%H:%M}."
    return f"Possible again at {at:%H:%M} on {at:%Y-%m-%d}."


def retry_sentence(failure: Failure, label: str, host: str) -> str:
    """Why a request is about to be tried again, without the time."""
    if failure.category == "overloaded":
        return "The model is overloaded."
    if failure.category == "rate_limited":
        return f"{label} limits requests."
    if failure.category in ("network", "timeout"):
        return f"No connection to {host}."
    return f"The service of {label} failed."
