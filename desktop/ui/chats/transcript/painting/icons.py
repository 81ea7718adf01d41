"""Which icon a call's line has: what it waits for or what became of it, else what kind of thing it does."""

from desktop.ui.chats.folds.rows import Call

RUNNING_ICON = "loader-circle"
STATE_COLOURS = {
    "waiting": ("warning", "warning_bg"),
    "running": ("accent", "info_bg"),
    "error": ("danger", "danger_bg"),
    "refused": ("danger", "danger_bg"),
    "declined": ("danger", "danger_bg"),
}
_STATE_ICONS = {
    "refused": "shield-x",
    "declined": "shield-x",
    "waiting": "shield-alert",
    "thought": "brain",
    "running": RUNNING_ICON,
    "interrupted": "circle-pause",
    "cancelled": "circle-x",
    "malformed": "circle-x",
}
_ASKED_ICONS = {
    "question": "message-circle-question-mark",
    "plan": "list-todo",
    "picture": "image",
    "credential": "key",
}
_TITLE_ICONS = (
    ("Ask: ", "message-circle-question-mark"),
    ("Present the plan", "list-todo"),
    ("Read the todo list", "list-todo"),
    ("Update the todo list", "list-todo"),
    ("Name this chat", "message-square"),
    ("Output of ", "terminal"),
    ("Stop ", "square"),
    ("Search ", "search"),
    ("Find ", "search"),
    ("List ", "folder-open"),
    ("Fetch ", "globe"),
    ("Read ", "file-text"),
)
_CHILD_ICONS = {
    "queued": ("circle", "muted"),
    "completed": ("circle-check", "success"),
    "failed": ("circle-x", "danger"),
    "limit": ("circle-x", "danger"),
    "not_begun": ("circle", "muted"),
}
_CATEGORY_ICONS = {"read": "eye", "write": "file-diff", "bash": "terminal", "external": "globe"}


def call_icon(call: Call) -> tuple[str, str]:
    """The icon of a call's line and its colour. Calls of one category differ by how their card's title begins."""
    if call.state == "waiting" and call.asks in _ASKED_ICONS:
        return _ASKED_ICONS[call.asks], "accent"
    if call.child is not None and call.child.state in _CHILD_ICONS:
        return _CHILD_ICONS[call.child.state]
    if call.shape in _STATE_ICONS:
        return _STATE_ICONS[call.shape], STATE_COLOURS.get(call.shape, ("muted", ""))[0]
    titled = next((icon for words, icon in _TITLE_ICONS if call.title.startswith(words)), "")
    name = (titled if call.category == "read" else "") or _CATEGORY_ICONS.get(call.category, "wrench")
    if call.shape == "error":
        return name, "danger"
    return name, "success" if call.category == "bash" and call.state == "ok" else "muted"
