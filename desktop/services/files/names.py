"""Names of files as one line of text, for models and for logs."""

import os


def shown_name(path: str) -> str:
    """A name of a file in one line: what is no text, and line breaks, are written as escapes."""
    text = os.fsencode(path).decode("utf-8", "backslashreplace")
    return text if text.isprintable() else text.encode("unicode_escape").decode()
