"""Links of foreign text: which may be followed, and which say another address than they lead to (gate-V7, gate-V9)."""

import re
import unicodedata
from urllib.parse import SplitResult, unquote, urlsplit

from desktop.domain.display.marks import FILE_ENDINGS, KNOWN_ENDINGS, host_name
from desktop.domain.display.prose_marks import apart, is_host_ending
from desktop.domain.display.text import display_text, is_hidden
from desktop.patterns import Pattern

SAFE_SCHEMES = frozenset({"http", "https", "mailto"})
_SCHEME = Pattern(r"([A-Za-z][A-Za-z0-9+.-]+):(?!:)")
_IN_TEXT = Pattern(
    r"(?P<url>[A-Za-z][A-Za-z0-9+.-]{0,40}://[^\s<>\"'`()\[\]]+)"
    r"|(?<![\w.+-])(?P<mail>[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?<![\w.:/@-])(?P<plain>localhost|(?:\d{1,3}\.){3}\d{1,3})(?P<at>:\d+)?(?![\w.])"
    r"|(?<![\w./@-])(?P<host>(?:[\w-]+\.)+(?P<top>[^\W\d_]{2,24}))(?P<port>:\d+)?(?P<path>/[^\s<>\"'`()\[\]]*)?"
)
_FILES = FILE_ENDINGS | frozenset(
    {"bat", "cfg", "cpp", "css", "csv", "dll", "exe", "gif", "hpp", "html", "ini", "ipynb", "java", "jpeg", "jpg",
     "json", "jsx", "lock", "log", "lua", "pdf", "php", "png", "rst", "sql", "svg", "swift", "tar", "tex", "toml",
     "tsx", "txt", "whl", "xml", "yaml", "yml", "zip"}
)  # fmt: skip
_BEFORE_HOST = Pattern(r"[A-Za-z][A-Za-z0-9+.-]{0,40}://(?P<user>[^\s/?#@\"'<>]*)@(?P<host>[^\s/?#@\"'<>()\[\]]+)")
_DOTTED = Pattern(r"[\w-]+(?:\.[\w-]+)+")
_FULL_STOP = Pattern("。(?=[A-Za-z0-9])")
"""Stands in hosts for a dot; before other letters it ends a sentence."""
_MOST_HOSTS = 5
_END = ".,;:!?"


def is_safe_link(target: str) -> bool:
    """Whether a link of foreign text may be followed: an address with the scheme http, https or mailto that is written
    out whole, without characters one cannot see."""
    address = target.strip()
    if any(char.isspace() or is_hidden(char) for char in address):
        return False
    split = split_address(address)
    return split is not None and split.scheme.lower() in SAFE_SCHEMES


def foreign_scheme(target: str) -> str:
    """The scheme of an address that is no link, as it is shown; "" for links, paths and words."""
    plain = "".join(char for char in target if not char.isspace() and not is_hidden(char))
    match = _SCHEME.match(plain)
    if match is None or (match[1].lower() in SAFE_SCHEMES and plain == target.strip()):
        return ""
    return display_text(match[1])


def says_another_address(text: str, target: str) -> bool:
    """Whether a link's text reads as an address, and that address is not the link's."""
    plain = "".join(char for char in unicodedata.normalize("NFKC", text) if not is_hidden(char))
    whole = _FULL_STOP.sub(".", plain)
    place = _parts(target.strip())
    return any(_differs(match, place) for match in _IN_TEXT.finditer(whole))


def disguised_hosts(text: str) -> tuple[str, ...]:
    """A line for each address in a text that begins as if it led to another host: `https://bank.com@evil.example`."""
    found: dict[str, None] = {}
    for match in _BEFORE_HOST.finditer(text):
        user = unquote(match["user"]).split(":")[0].replace("\\", "/").split("/")[0]
        if _DOTTED.fullmatch(user) and user.rpartition(".")[2].casefold() in KNOWN_ENDINGS:
            host, said = display_text(match["host"]), display_text(user)
            found[f"This address leads to {host}: “{said}” before the @ is only a user's name."] = None
    return tuple(found)[:_MOST_HOSTS]


def _differs(match: re.Match[str], place: tuple[str, str, str]) -> bool:
    scheme, host, path = place
    if match["mail"]:
        return scheme != "mailto" or match["mail"].casefold() != path.casefold()
    if match["url"]:
        said = _parts(match["url"].rstrip(_END))
        upgraded = (said[0], scheme) == ("http", "https")
        return (said[0] != scheme and not upgraded) or said[1] != host or _trimmed(said[2]) != _trimmed(path)
    if match["plain"]:
        return _bare(host) != match["plain"] + (match["at"] or "")
    if match["top"].casefold() in _FILES and not match["path"]:
        return False
    named = apart(match["host"])
    top = named.rpartition(".")[2]
    said_host = _bare(host_name(named) + (match["port"] or ""))
    if said_host != _bare(host):
        return top.casefold() not in _FILES and (top.isascii() or is_host_ending(top))
    return bool(match["path"]) and _trimmed(match["path"].rstrip(_END)) != _trimmed(path)


def _parts(address: str) -> tuple[str, str, str]:
    """Scheme, host with its port, and the rest of an address, comparable."""
    split = split_address(address)
    if split is None:
        return ("", "", address)
    scheme, authority = split.scheme.lower(), split.netloc.rpartition("@")[2]
    host, colon, port = authority.partition(":")
    rest = split.path + (f"?{split.query}" if split.query else "") + (f"#{split.fragment}" if split.fragment else "")
    return (scheme, host_name(host) + colon + port, rest)


def split_address(address: str) -> SplitResult | None:
    """The parts of an address, None when it is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return None


def _trimmed(path: str) -> str:
    return path.rstrip("/")


def _bare(host: str) -> str:
    return host.removeprefix("www.")
