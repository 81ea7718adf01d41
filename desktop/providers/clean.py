"""Text and JSON values as any encoder takes them, without lone surrogates, and the encoder."""

import json
import operator
import re
from collections.abc import Iterable
from typing import Any

_SURROGATE = re.compile("[\ud800-\udfff]")
_ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def clean_text(text: str) -> str:
    """The text with each lone surrogate replaced by U+FFFD; what any encoder accepts."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def clean_value(value: Any) -> Any:
    """The JSON value with each text in it clean, keys too; tuples become lists. What is clean already is itself, not a
    copy."""
    if isinstance(value, str):
        return clean_text(value)
    if isinstance(value, dict):
        cleaned = {clean_text(key): clean_value(item) for key, item in value.items()}
        return value if _same(cleaned, value) and _same(cleaned.values(), value.values()) else cleaned
    if isinstance(value, list | tuple):
        items = [clean_value(item) for item in value]
        return value if isinstance(value, list) and _same(items, value) else items
    return value


def _same(these: Iterable[Any], those: Iterable[Any]) -> bool:
    return all(map(operator.is_, these, those))


def json_bytes(value: Any) -> bytes:
    """A clean JSON value as it is sent. Raises ValueError for a number that is none of JSON's."""
    return _ENCODER.encode(value).encode()
