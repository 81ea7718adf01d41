"""The reading of a comment on a pull request by its form: who found it, how bad it is, its headline, whether it is
noise.

All of it is pure judgement of foreign text, and none of it is trusted further than that.
"""

import hashlib
import re

from desktop.domain.pulls.pull_request import Author
from desktop.domain.rounds.items import Severity

HEADLINE_CHARS = 120
BOT_MARK = "[bot]"
_CUT = 117
_READ_CHARS = 8_000

SOURCES = {
    "coderabbitai": "coderabbit",
    "chatgpt-codex-connector": "codex",
    "codex": "codex",
    "copilot": "copilot",
    "github-copilot": "copilot",
    "copilot-pull-request-reviewer": "copilot",
    "greptile-review": "greptile",
    "greptile-apps": "greptile",
    "seer-code-review": "seer",
}
DEPLOY_BOTS = frozenset(
    {
        "vercel",
        "netlify",
        "cloudflare-pages",
        "cloudflare-workers-and-pages",
        "render",
        "railway-app",
        "railway",
        "azure-static-web-apps",
        "surge",
        "surge-preview",
        "deploy-preview",
        "heroku",
        "firebase-hosting",
    }
)
_CALLED = "|".join(
    (
        "coderabbitai",
        "coderabbit",
        "codex",
        "copilot",
        "greptile",
        "greptileai",
        "seer",
        "sentry",
        "claude",
        "gemini",
        "gemini-code-assist",
        "cursor",
        "bugbot",
        "review-bot",
    )
)

_FENCE = re.compile(r"^ {0,3}(```|~~~).*?(?:^ {0,3}\1[`~]*\s*$|\Z)", re.S | re.M)
_TAG = re.compile(r"</?[A-Za-z][^>\n]{0,300}>")
_IMAGE = re.compile(r"!\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)")
_LINK = re.compile(r"\[([^\]\n]{0,300})\]\([^)\n]{0,500}\)")
_CODE = re.compile(r"`[^`\n]{1,300}`")
_BOLD = re.compile(r"\*\*(?=\S)(.{1,400}?)(?<=\S)\*\*|__(?=\S)(.{1,400}?)(?<=\S)__")
_LEAD = re.compile(r"^(?:\s|>|#{1,6}\s|[-*+]\s|\d+[.)]\s)+")
_MARKS = re.compile(r"\*\*|__|~~|`|(?<!\w)[*_](?=\S)|(?<=\S)[*_](?!\w)")
_WORDS = "critical|major|minor|p1|p2|p3|bug|error|warning|nit|nitpick|potential issue|suggestion|refactor suggestion"
_SIGNS = "\U0001f534\U0001f7e0\U0001f7e1\u26a0\ufe0f"
_LABEL = re.compile(
    rf"^(?:[\s{_SIGNS}|:,.-]|\[(?:{_WORDS})\]|(?:severity|priority)\s*:|(?:{_WORDS})(?=\s*[:|\]]|\s+-\s|\s*$)"
    rf"|(?:p1|p2|p3)\s+badge\b)+",
    re.I,
)
_LEVELS: tuple[tuple[Severity, tuple[str, ...], tuple[str, ...], str], ...] = (
    ("critical", ("critical", "p1"), ("bug", "error"), "\U0001f534"),
    ("major", ("major", "p2"), ("warning",), "\U0001f7e0\u26a0"),
    ("minor", ("minor", "p3"), ("nit",), "\U0001f7e1"),
)
_BRACKET = re.compile(r"\[([^\]\n]{1,40})\]")
_NEGATED = re.compile(r"\b(?:not|no)\W+(?:\w+\W+)?$|\bnon-(?:\w+\W+)?$", re.I)

_AUTO = re.compile(
    r"^\s*<!--\s*(?:walkthrough|this is an auto-?generated (?:comment|reply)|[^>\n]{0,80}\b(?:state|metadata)\b"
    r"|banksman:)",
    re.I,
)
_WALKTHROUGH = re.compile(r"^\s*(?:#{1,6}\s*)?(?:[^\w\n]{0,4}\s*)?(?:walkthrough|summary by |auto-?generated)\b", re.I)
_THANKS = re.compile(r"^\W*(?:thank you|thanks)\b[^\n]{0,200}$", re.I)
_BOT_CALL = re.compile(
    rf"^(?:@(?:{_CALLED})(?:\[bot\])?|/(?:{_CALLED}|review)|bugbot)(?:[\s,:]+[a-z -]{{0,40}})?[.!?]*$", re.I
)
_DONE = "fixed|addressed|resolved|done|handled"
_ACKNOWLEDGED = re.compile(
    rf"(?:{_DONE})|(?:fixed|addressed) in (?:commit )?(?:[0-9a-f]{{7,40}}|#\d+|the latest commit)"
    r"|should be fixed now|no longer an issue",
    re.I,
)
_CANCELS = re.compile(
    r"\b(?:not|never|no(?! longer an issue)|isn'?t|wasn'?t|aren'?t|won'?t|can'?t|cannot|doesn'?t|didn'?t|hasn'?t|don'?t"
    r"|will be|to be|follow[- ]?up|later|still|yet|partially|except|but)\b",
    re.I,
)
_PLEASANT = re.compile(r"(?:[\s,.;:!\U0001f44d✅\U0001f389]|\bthank you\b|\bthanks\b|@[\w-]+(?:\[bot\])?)+", re.I)


def source_of(author: Author) -> str:
    """The source of a comment in one word: a review tool by its own name, another bot's base name, human, or
    unknown."""
    login = author.login.strip().lower()
    bot = author.bot or login.endswith(BOT_MARK)
    base = login.removesuffix(BOT_MARK)
    if not base:
        return "unknown"
    return SOURCES.get(base) or (base if bot else "human")


def severity_of(body: str) -> Severity:
    """The severity that a comment names at the start of its first line, or by a tag in brackets there; the worse of
    two. none: it does not say."""
    line = _first_line(body)
    starts = [_bare(line), *(_bare(part) for part in line.split("|")[1:] if _is_label(part))]
    tags = [
        found.group(1).strip().lower().removesuffix(" badge")
        for found in _BRACKET.finditer(line)
        if not _NEGATED.search(line[: found.start()].removesuffix("!"))
    ]
    for level, words, only_tags, signs in _LEVELS:
        if any(tag in words or tag in only_tags for tag in tags):
            return level
        if any(_begins(start, words, signs) for start in starts):
            return level
    return "none"


def headline_of(body: str, path: str = "", author: str = "") -> str:
    """The first bold text that says something, else the first line, at most 120 characters, without Markdown."""
    told = _told(body)
    if told:
        return told
    return f"Comment on {path}"[:HEADLINE_CHARS] if path else f"Comment by {author or 'somebody'}"[:HEADLINE_CHARS]


def fingerprint_of(kind: str, source: str, path: str, body: str, headline: str) -> str:
    """Hex SHA-256 of what a finding says: the same for the same words about other numbers or names in code."""
    words = _told(_CODE.sub("", body)) or headline
    plain = re.sub(r"\s+", " ", re.sub(r"\d+", "", words.lower())).strip()
    return hashlib.sha256("\0".join((kind, source, path, plain)).encode("utf-8", "surrogatepass")).hexdigest()


def is_noise(author: Author, body: str) -> bool:
    """Whether a comment holds nothing that could be fixed (lanes-P20)."""
    text = _visible(body).strip()
    if not text or _AUTO.match(body) or _WALKTHROUGH.match(text):
        return True
    login = author.login.strip().lower()
    if login.removesuffix(BOT_MARK) in DEPLOY_BOTS and (author.bot or login.endswith(BOT_MARK)):
        return True
    return bool(_THANKS.match(text) or _BOT_CALL.match(text))


def acknowledges(author: Author, body: str) -> bool:
    """Whether a person says with this, and nothing else, that it is done (lanes-P19)."""
    if source_of(author) not in ("human", "unknown"):
        return False
    text = re.sub(r"\s+", " ", body[:_READ_CHARS].replace("’", "'").replace("`", "")).strip()
    if _CANCELS.search(text):
        return False
    text = _trimmed(text)
    return bool(_ACKNOWLEDGED.fullmatch(text))


def _trimmed(text: str) -> str:
    """Without thanks and marks at its ends."""
    begin = _PLEASANT.match(text)
    text = text[begin.end() :] if begin else text
    ends = [found for found in _PLEASANT.finditer(text) if found.end() == len(text)]
    return text[: ends[0].start()] if ends else text


def _visible(body: str) -> str:
    """The begin of it without HTML comments; one without an end hides the rest."""
    kept: list[str] = []
    for number, part in enumerate(body[:_READ_CHARS].split("<!--")):
        kept.append(part if number == 0 else part.partition("-->")[2])
    return "".join(kept)


def _told(body: str) -> str:
    text = _FENCE.sub("", _visible(body))
    for found in _BOLD.finditer(text):
        plain = _plain(found.group(1) or found.group(2) or "")
        if 1 <= len(plain) <= HEADLINE_CHARS:
            return plain
    for line in text.splitlines():
        plain = _plain(line)
        if plain:
            return plain if len(plain) <= HEADLINE_CHARS else plain[:_CUT] + "..."
    return ""


def _plain(line: str) -> str:
    """A line without Markdown and without the labels at its start; "" when nothing is left that says something."""
    text = _LINK.sub(r"\1", _IMAGE.sub("", _TAG.sub("", line)))
    text = _LEAD.sub("", _MARKS.sub("", text)).strip()
    text = _LABEL.sub("", text).strip(" |")
    return re.sub(r"\s+", " ", text) if re.search(r"\w", text) else ""


def _first_line(body: str) -> str:
    text = _visible(body)
    return next((line for raw in text.splitlines() if (line := raw.strip())), "")


def _bare(part: str) -> str:
    text = re.sub(r"\s+", " ", _LEAD.sub("", _TAG.sub("", part))).strip("*_~`! ")
    return re.sub(r"^(?:severity|priority)\s*:\s*", "", text, flags=re.I).strip("*_~`! ")


def _is_label(part: str) -> bool:
    text = part.strip()
    return len(text) >= 3 and text[0] in "*_" and text[-1] in "*_"


def _begins(start: str, words: tuple[str, ...], signs: str) -> bool:
    if start and start[0] in signs:
        return True
    word = re.match(r"[A-Za-z0-9]+", start)
    return word is not None and word.group().lower() in words
