"""Why a file of a skill or an agent stands as it does, in the language of the window."""

import re

from desktop.language import said, tr

_FAULT = re.compile(r"(?P<file>[^:\n]+\.md)(?:, line (?P<line>[0-9]{1,9}))?: (?P<text>.+)", re.DOTALL)


def why_words(why: str) -> str:
    """A sentence, or the file, the line and the sentence, as a fault of a file says them."""
    fault = _FAULT.fullmatch(why)
    if fault is None:
        return said(why)
    file, line = fault["file"], fault["line"]
    return f"{tr('{file}, line {line}', file=file, line=line) if line else file}: {said(fault['text'])}"
