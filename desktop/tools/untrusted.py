"""Text from strangers, and of skills, as a model gets it: marked, so that it is read as what it is (tools-T37)."""

import re

_MARK = re.compile(r"<(?=/?untrusted)", re.IGNORECASE)
_SOURCE = re.compile(r"[^\w:/.#@+-]")
_SKILL_MARK = re.compile(r"<(?=/?(?:skill|untrusted|banksman-note))", re.IGNORECASE)
MAX_SOURCE_CHARS = 200


def untrusted(source: str, text: str) -> str:
    """The text inside a marker that names its source; it cannot end the marker itself."""
    return f'<untrusted source="{_SOURCE.sub("_", source)[:MAX_SOURCE_CHARS]}">{_MARK.sub("&lt;", text)}</untrusted>'


def forge_source(slug: str, number: int) -> str:
    """The name of a pull request as a source: `github:owner/name#42`."""
    return f"github:{slug}#{number}"


def skill_text(skill_id: str, text: str) -> str:
    """The text of a skill inside a marker that names it; it cannot end the marker, nor pose as a note of the app."""
    return f'<skill id="{_SOURCE.sub("_", skill_id)[:MAX_SOURCE_CHARS]}">\n{_SKILL_MARK.sub("&lt;", text)}\n</skill>'
