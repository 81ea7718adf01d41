"""The summary of a chat for a guest that does not know it: made of the log alone, without a model (guests-A48)."""

from desktop.agent.core.session import Session
from desktop.domain.history.words import Message
from desktop.tools.text import clip, one_line

MOST_CHARS = 24_000
LAST_MESSAGES = 10
MESSAGE_CHARS = 1_500


def handover_text(session: Session) -> str:
    """What a new guest must know of the chat, "" where nothing was said before."""
    messages = session.history.messages()
    if not any(message["role"] == "assistant" for message in messages):
        return ""
    goal = next((text for message in messages if message["role"] == "user" and (text := _words(message))), "")
    lines = ["You take over this conversation, which you do not remember.", f"It began with: {one_line(goal, 1_000)}"]
    todos = [f"- [{todo.status}] {todo.content}" for todo in session.state.todos if todo.status != "completed"]
    if todos:
        lines += ["Open todos:", *todos]
    lines.append("Its last messages:")
    for message in messages[-LAST_MESSAGES:]:
        who = "You" if message["role"] == "assistant" else "Person"
        if words := _words(message):
            lines.append(f"{who}: {clip(words, MESSAGE_CHARS)}")
    return clip("\n".join(lines), MOST_CHARS)


def _words(message: Message) -> str:
    parts = message["content"]
    texts = [part["text"] for part in parts if part["type"] == "text"]
    calls = [f"[called {part['name']}]" for part in parts if part["type"] == "tool_use"]
    return "\n".join([*texts, *calls]).strip()
