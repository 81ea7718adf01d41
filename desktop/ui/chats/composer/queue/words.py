"""How messages that wait read."""

from desktop.domain.history.state import QueuedMessage
from desktop.language import tr

MOST_QUEUED = 10
WAITS_FOR_SETUP = tr("Waiting for setup")
QUEUE_FULL = tr("The queue is full ({most}).", most=MOST_QUEUED)
_WHY = {
    "stop": tr("You stopped the turn."),
    "limit": tr("A limit was reached."),
    "loop": tr("The agent repeated itself."),
    "failed": tr("The turn failed."),
    "restart": tr("Banksman was closed meanwhile."),
}


def queued_text(message: QueuedMessage) -> str:
    """What was typed, as it was."""
    texts = [part.get("text") for part in message.parts if isinstance(part, dict)]
    return "\n".join(text for text in texts if isinstance(text, str))


def paused_words(reason: str) -> str:
    """That nothing is delivered, and why."""
    if reason == "setup":
        return WAITS_FOR_SETUP
    return f"{tr('Queue paused.')} {_WHY.get(reason, '')}".strip()
