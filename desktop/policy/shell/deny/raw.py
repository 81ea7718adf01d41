"""The second look at a text that could not be read cleanly: its normalised words, where doubt means a hit."""

import re
from collections.abc import Iterator

from desktop.policy.shell.deny.call import Call, DenyPlaces, program_name, thinned
from desktop.policy.shell.deny.classes.paths import start_folder
from desktop.policy.shell.deny.classes.tables import JUDGED
from desktop.policy.shell.deny.reader.text import ansi_c
from desktop.policy.shell.deny.reader.wrap_tables import INTERPRETERS, SHELLS
from desktop.policy.shell.verdict import DenyHit

MAX_CUTS = 8_000
MAX_SEGMENTS = 80
MAX_TARGETS = 100
MAX_FETCHES = 100
MAX_STARTS = 40
_ANSI_C = re.compile(r"\$'([^'\\]*+(?:\\.[^'\\]*+)*)'")
_IFS = re.compile(r"\$\{?IFS\}?")
_CUTS = re.compile(r"&&|\|\||[;\n(){}`]|&(?<![<>&]&)(?![>&\d])|\|&?")
_LINES = re.compile(r"[;\n]|&&|\|\|")
_REDIRECT = re.compile(r"(?:&>>?|>>?\|?|>&|<>)\s*([^\s<>&|;]+)")
_TOKEN_CHARS = frozenset(b"abcdefghijklmnopqrstuvwxyz0123456789_.")
_TOKEN_BYTES = bytes(
    ord(low) if ord(low := chr(byte).lower()) in _TOKEN_CHARS and byte < 128 else 32 for byte in range(256)
)
_BOMB = re.compile(
    r"(?<![^\s(){}|&;<>$])([^\s(){}|&;<>$]{1,40})\s*\(\s*\)\s*[{(]\s*([^\s(){}|&;<>$]{1,40})\s*[|&]\s*([^\s(){}|&;<>$]{1,40})\s*[&|;]"
)
_FETCH_WORDS = re.compile(r"(?<![\w./-])(?:curl|wget|base64\s+(?:-d|--decode)|xxd\s+-\w*r|fetch|aria2c)(?![\w.-])")
_FETCH_NAMES = ("curl", "wget", "base64", "xxd", "fetch", "aria2c")
_SHELL_BEFORE = re.compile(r"(?:eval|source|sh)\b[^|]{0,40}[$<]\(|`")
_RUNNERS = SHELLS | set(INTERPRETERS) | {"eval", "source", "xargs"}
_EMPTY_BRACKETS = re.compile(r"\(\s{0,8}\)")
_NETWORK_DEVICE = re.compile(r"/dev/(?:tcp|udp)/", re.IGNORECASE)
_FORBIDDEN_REASON = "Part of it could not be read, and what can be read looks like this."


def normalised(text: str) -> str:
    """The text without quotes, backslashes and line joins, `$IFS` as a blank, escapes of `$'…'` decoded."""
    text = text.replace("\\\r\n", "").replace("\\\n", "")
    if "$'" in text:
        text = _ANSI_C.sub(lambda found: ansi_c(found[1]), text)
    text = _IFS.sub(" ", text) if "IFS" in text else text
    return text.replace("'", "").replace('"', "").replace("\\", "")


def raw_calls(plain: str, places: DenyPlaces) -> Iterator[Call]:
    """Argument lists that a normalised text may hold, wherever a judged program's name stands. More than can be looked
    at within the time raises OverflowError."""
    folder = start_folder(places)
    targets = dict.fromkeys(_REDIRECT.findall(plain)) if ">" in plain else {}
    if len(targets) > MAX_TARGETS:
        raise OverflowError
    for path in targets:
        yield Call("", [], folder, writes=[path])
    for segment in _judged_segments(plain):
        words = thinned(segment.split())
        starts = [index for index, word in enumerate(words) if program_name(word) in _KNOWN or "$" in word]
        if len(starts) > MAX_STARTS:
            raise OverflowError
        for index in starts:
            name = program_name(words[index])
            argv = words[index:]
            yield Call("?" if "$" in words[index] else name, argv, folder)


def _judged_segments(plain: str) -> list[str]:
    """The parts between operators that name a judged program or a device, each once."""
    names = _KNOWN.intersection(_tokens(plain))
    signs = [sign for sign in _SIGNS if sign in plain]
    if not (names or signs):
        return []
    segments = dict.fromkeys(_CUTS.split(plain))
    if len(segments) > MAX_CUTS:
        raise OverflowError
    could_be = re.compile("|".join(map(re.escape, [*sorted(names), *signs])))
    found = []
    for segment in segments:
        if could_be.search(segment.casefold()) and _is_judged(segment):
            found.append(segment)
            if len(found) > MAX_SEGMENTS:
                raise OverflowError
    return found


_KNOWN = set(JUDGED)
_SIGNS = ("/dev/", "/proc/", "/sys/", "mkfs")


def _is_judged(segment: str) -> bool:
    if any(sign in segment for sign in _SIGNS):
        return True
    return not _KNOWN.isdisjoint(_tokens(segment))


def _tokens(text: str) -> list[str]:
    """The runs of letters, digits, dots and underscores, in small letters."""
    if not text.isascii():
        text = text.casefold()
    return text.encode(errors="replace").translate(_TOKEN_BYTES).decode("ascii").split()


def raw_hits(plain: str) -> list[DenyHit]:
    """Shapes of a normalised text that no single argument list shows: downloads that reach a shell, bombs, network
    devices. More than can be looked at within the time raises OverflowError."""
    hits = []
    for line in _fetching(plain.casefold()):
        if (fetched := _FETCH_WORDS.search(line)) and _runs(line, fetched):
            hits.append(DenyHit(id="D-fetch-run", severity="forbid", reason=_FORBIDDEN_REASON, fragment=line[:200]))
            break
    for found in _BOMB.finditer(plain) if _EMPTY_BRACKETS.search(plain) else ():
        if found[1] in {found[2], found[3]}:
            hits.append(DenyHit(id="D-bomb", severity="forbid", reason=_FORBIDDEN_REASON, fragment=found[0][:200]))
            break
    if found_device := _NETWORK_DEVICE.search(plain):
        hits.append(DenyHit(id="D-shell-back", severity="forbid", reason=_FORBIDDEN_REASON, fragment=found_device[0]))
    return hits


def _fetching(text: str) -> list[str]:
    """The lines that may hold a fetching word."""
    if not any(name in text for name in _FETCH_NAMES):
        return []
    lines = [line for line in dict.fromkeys(_LINES.split(text)) if any(name in line for name in _FETCH_NAMES)]
    if len(lines) > MAX_FETCHES:
        raise OverflowError
    return lines


def _runs(line: str, fetched: re.Match[str]) -> bool:
    """Whether something that runs code stands behind the fetching word, or takes its output from the front."""
    behind = {token.rstrip("0123456789.") for token in _tokens(line[fetched.end() :])}
    return not _RUNNERS.isdisjoint(behind) or _SHELL_BEFORE.search(line[: fetched.start()]) is not None
