"""Text that strangers wrote, as a model gets it: marked, so that it is read as data (tools-T37)."""

import re

_MARK = re.compile(r"<(?=/?untrusted)", re.IGNORECASE)
_SOURCE = re.compile(r"[^\w:/.#@+-]")
MAX_SOURCE_CHARS = 200


def untrusted(source: str, text: str) -> str:
    """The text inside a marker that names its source; it cannot end the marker itself."""
    return f'<untrusted source="{_SOURCE.sub("_", source)[:MAX_SOURCE_CHARS]}">{_MARK.sub("&lt;", text)}</untrusted>'


def forge_source(slug: str, number: int) -> str:
    """The name of a pull request as a source: `github:owner/name#42`."""
    return f"github:{slug}#{number}"
