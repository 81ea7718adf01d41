"""The second look at a text that could not be read cleanly: its normalised words, where doubt means a hit."""

import re
from collections.abc import Iterator

from desktop.policy.shell.deny_call import Call, DenyPlaces, program_name
from desktop.policy.shell.deny_paths import start_folder
from desktop.policy.shell.deny_tables import JUDGED
from desktop.policy.shell.deny_text import ansi_c
from desktop.policy.shell.deny_wrap import INTERPRETERS, SHELLS
from desktop.policy.shell.verdict import DenyHit

MAX_SEGMENTS = 400
MAX_WORDS = 64
_DROPPED = str.maketrans("", "", "'\"\\")
_IFS = re.compile(r"\$\{?IFS\}?")
_CUTS = re.compile(r"&&|\|\||[;\n(){}`]|(?<![<>&])&(?![>&\d])|\|&?")
_LINES = re.compile(r"[;\n]|&&|\|\|")
_REDIRECT = re.compile(r"\d?(?:&>>?|>>?\|?|>&|<>)\s*([^\s<>&|;]+)")
_JUDGED = re.compile(
    r"(?<![\w.-])(?:" + "|".join(re.escape(name) for name in JUDGED) + r"|mkfs[.\w]*|/dev/|/proc/|/sys/)", re.IGNORECASE
)
_BOMB = re.compile(
    r"([^\s(){}|&;<>$]{1,40})\s*\(\s*\)\s*[{(]\s*([^\s(){}|&;<>$]{1,40})\s*[|&]\s*([^\s(){}|&;<>$]{1,40})\s*[&|;]"
)
_FETCH_WORDS = re.compile(
    r"(?<![\w./-])(?:curl|wget|base64\s+(?:-d|--decode|-D)|xxd\s+-\w*r|fetch|aria2c)(?![\w.-])", re.IGNORECASE
)
_RUN_WORDS = re.compile(
    r"(?<![\w.-])(?:" + "|".join(sorted(map(re.escape, SHELLS | set(INTERPRETERS)))) + r"|eval|source|xargs)(?=[\s\d.;|&<>()\"']|\Z)", re.IGNORECASE
)  # fmt: skip
_NETWORK_DEVICE = re.compile(r"/dev/(?:tcp|udp)/", re.IGNORECASE)
_FORBIDDEN_REASON = "Part of it could not be read, and what can be read looks like this."


def normalised(text: str) -> str:
    """The text without quotes, backslashes and line joins, `$IFS` as a blank, escapes of `$'…'` decoded."""
    text = text.replace("\\\r\n", "").replace("\\\n", "")
    if "$'" in text:
        text = re.sub(r"\$'((?:[^'\\]|\\.)*+)'", lambda found: ansi_c(found[1]), text)
    return _IFS.sub(" ", text).translate(_DROPPED)


def raw_calls(text: str, places: DenyPlaces) -> Iterator[Call]:
    """Argument lists that a text may hold, wherever a judged program's name stands. More than can be looked at within
    the time raises OverflowError."""
    plain = normalised(text)
    folder = start_folder(places)
    for path in dict.fromkeys(_REDIRECT.findall(plain)):
        yield Call("", [], folder, writes=[path])
    segments = [segment for segment in dict.fromkeys(_CUTS.split(plain)) if segment and _JUDGED.search(segment)]
    if len(segments) > MAX_SEGMENTS:
        raise OverflowError
    for segment in segments:
        words = [word for word in segment.split(None, MAX_WORDS * 4) if word]
        starts = [
            index for index, word in enumerate(words[: MAX_WORDS * 4]) if program_name(word) in _KNOWN or "$" in word
        ]
        for index in starts[:12]:
            name = program_name(words[index])
            argv = words[index : index + MAX_WORDS]
            yield Call("?" if "$" in words[index] else name, argv, folder)


_KNOWN = set(JUDGED)


def raw_hits(text: str) -> list[DenyHit]:
    """Shapes that no single argument list shows: downloads that reach a shell, bombs, network devices."""
    plain = normalised(text)
    hits = []
    for line in _LINES.split(plain):
        fetched = _FETCH_WORDS.search(line)
        if fetched and (
            _RUN_WORDS.search(line, fetched.end())
            or re.search(r"(?:eval|source|(?:ba|z|da)?sh)\b[^|]{0,40}[$<]\(|`", line[: fetched.start()])
        ):
            hits.append(DenyHit(id="D-fetch-run", severity="forbid", reason=_FORBIDDEN_REASON, fragment=line[:200]))
            break
    for found in _BOMB.finditer(plain):
        if found[1] in {found[2], found[3]}:
            hits.append(DenyHit(id="D-bomb", severity="forbid", reason=_FORBIDDEN_REASON, fragment=found[0][:200]))
            break
    if found_device := _NETWORK_DEVICE.search(plain):
        hits.append(DenyHit(id="D-shell-back", severity="forbid", reason=_FORBIDDEN_REASON, fragment=found_device[0]))
    return hits
