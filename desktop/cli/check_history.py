"""`banksman check history`: the messages that a log gives."""

from typing import cast

from pydantic import JsonValue

from desktop.cli.check_fields import Line, optional_text
from desktop.domain.history.builder import reconstruct
from desktop.domain.history.neutral import Neutral, load_neutral


def check_history(line: Line) -> Line:
    """`{"events": […], "session"?, "at"?}` → the message list, and what in it is not as recorded.

    Raises:
        ValueError: a field is missing or has a wrong type; NeutralError, StoreError: the log cannot be rebuilt.
    """
    events = line.get("events")
    if not isinstance(events, list):
        raise ValueError("The field events must be a list.")
    log = load_neutral(cast(list[Neutral], events))
    rebuilt = reconstruct(log, at=optional_text(line, "at"), session_id=optional_text(line, "session"))
    return {
        "messages": cast(list[JsonValue], rebuilt.messages),
        "meta": {
            "synthetic": cast(Line, rebuilt.synthetic),
            "unrecoverable_inputs": list(rebuilt.unrecoverable),
            "dropped_results": list(rebuilt.dropped_results),
        },
    }
