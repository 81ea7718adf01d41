"""The seven texts that a message list may hold and no event does, and what a message is."""

from typing import Any

UNKNOWN_OUTCOME = (
    "[Banksman] This call was started, but its result was not recorded. It may have taken effect fully, partly or not "
    "at all. Check the current state before repeating it."
)
NOT_EXECUTED = "[Banksman] This call was not executed. It changed nothing. Make it again if it is still needed."
RESULT_REMOVED = "[Banksman] The user removed the result of this call from the conversation."
EMPTY_ERROR = "[Banksman] The call failed without a message."
SUMMARY_PREFIX = "[Banksman] The earlier part of this conversation was replaced by this summary:"
SUMMARY_ACK = "Understood. I continue from this summary."
OPENING = "[Banksman] The beginning of this conversation is not included."
WORDING: dict[str, str] = {
    "unknown_outcome": UNKNOWN_OUTCOME,
    "not_executed": NOT_EXECUTED,
    "result_removed": RESULT_REMOVED,
    "empty_error": EMPTY_ERROR,
    "summary_prefix": SUMMARY_PREFIX,
    "summary_ack": SUMMARY_ACK,
    "opening": OPENING,
}
"""The seven texts that no event contains, by name. Changing one changes old requests."""

Message = dict[str, Any]
"""One message: `role` (user or assistant) and `content`, a list of content blocks. Plain JSON data."""
