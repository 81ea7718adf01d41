"""The fields of a line that `banksman check` reads."""

from pydantic import JsonValue

Line = dict[str, JsonValue]


def text_field(line: Line, name: str) -> str:
    """The text in a field.

    Raises:
        ValueError: there is none.
    """
    value = line.get(name)
    if not isinstance(value, str):
        raise ValueError(f"The field {name} must be a string.")
    return value


def optional_text(line: Line, name: str) -> str | None:
    """The text in a field, None where there is no such field or null.

    Raises:
        ValueError: there is something else.
    """
    return None if line.get(name) is None else text_field(line, name)
