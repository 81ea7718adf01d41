"""How messages that wait read."""

from desktop.domain.history.state import QueuedMessage

MOST_QUEUED = 10
WAITS_FOR_SETUP = "Waiting for setup"
QUEUE_FULL = f"The queue is full ({MOST_QUEUED})."
_WHY = {
    "stop": "You stopped the turn.",
    "limit": "A limit was reached.",
    "loop": "The agent repeated itself.",
    "failed": "The turn failed.",
    "restart": "Banksman was closed meanwhile.",
}


def queued_text(message: QueuedMessage) -> str:
    """What was typed, as it was."""
    texts = [part.get("text") for part in message.parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def paused_words(reason: str) -> str:
    """That nothing is delivered, and why."""
    if reason == "setup":
        return WAITS_FOR_SETUP
    return f"Queue paused. {_WHY.get(reason, '')}".strip()
