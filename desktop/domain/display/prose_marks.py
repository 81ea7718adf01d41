"""The marks for what deceives in prose: hosts with letters outside ASCII, and words that imitate Latin ones with other
letters.

Ordinary words of any script, right-to-left ones, full-width signs and letters of styled alphabets are what they are.
"""

import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from desktop.domain.display.marks import FILE_ENDINGS, KNOWN_ENDINGS, host_mark, mixed_letters
from desktop.domain.display.scripts import scripts_of
from desktop.domain.display.text import Mark
from desktop.patterns import Pattern

_WORD = Pattern(r"\w+")
_ADDRESS = Pattern(r"(?<![A-Za-z0-9+.-])[A-Za-z][A-Za-z0-9+.-]*://(?:[^\s/@?#\\]*@)?([^\s/?#:\\\"'`<>()\[\]{}|,;]+)")
_AT_HOST = Pattern(r"@([\w-]+(?:[.\uff0e\uff61][\w-]+)+)")
_BARE_HOST = Pattern(r"(?<![\w.@/\\-])([\w-]+(?:\.[\w-]+)+)(?![\w-]|\.\w)")
_PUNCTUATION = Pattern(
    "[\u00ab\u00b7\u00bb\u0589\u05be-\u05f4\u060c\u061b\u061f\u0964\u0965\u2010-\u2027\u203a\u3001\u3008-\u3011\u3014-\u301f"
    "\u30fb\uff01-\uff0c\uff1a-\uff1f\uff5b-\uff60\uff64]|\u3002(?![A-Za-z0-9])"
)
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3\uf900-\ufaff"
"""Letters that stand beside other words without a blank: Thai, Lao, Burmese, Khmer, Chinese, Japanese, Korean."""
_RIGHT_TO_LEFT = "\u05d0-\u05ea\u0620-\u064a\u066e-\u06d3"
"""Letters that no name of a host has beside Latin ones, but words have before it: `ב-example.com`."""
_BEFORE = Pattern(f"[\\w-]*(?:[{_UNSPACED}]|[{_RIGHT_TO_LEFT}]-?)(?=[A-Za-z0-9-]+(?:\\.[A-Za-z0-9-]+)+$)")
_BEHIND = Pattern(f"\\.([A-Za-z]{{2,}})([{_UNSPACED}][^.\u3002\uff0e\uff61]*)$")
_COUNTRIES = frozenset(
    ["рф", "рус", "москва", "дети", "онлайн", "сайт", "укр", "бел", "срб", "мкд", "мон", "бг", "ею", "қаз", "ελ", "ευ",
     "հայ", "გე", "ישראל", "مصر", "السعودية", "امارات", "ایران", "الاردن", "المغرب", "تونس", "پاکستان", "شبكة", "موقع",
     "भारत", "ভারত", "বাংলা", "ไทย", "ລາວ", "中国", "中國", "公司", "网络", "网站", "网址", "在线", "中文网", "香港",
     "台湾", "台灣", "新加坡", "한국", "みんな"]
)  # fmt: skip
"""Endings of hosts outside ASCII (IANA's list of top-level domains, those of countries and the common ones)."""
_LIKE_LATIN = {
    "CYRILLIC": frozenset("асԁеһіјӏорԛѕԝхуѵүьгАВСЕԌНІЈКМОРЅТԜХУҮZЗ"),
    "GREEK": frozenset("αεγικνοορσυχϲϳΑΒΕΖΗΙΚΜΝΟΡΤΥΧ"),
    "ARMENIAN": frozenset("աոսօցհյՏՍՕ"),
    "CHEROKEE": frozenset("ᎠᎡᎢᎥᎪᎫᎬᎳᎷᎻᏀᏃᏎᏏᏒᏔᏙᏚᏞᏟᏢᏦᏧᏴ"),
    "LISU": frozenset("ꓐꓑꓓꓔꓖꓗꓙꓚꓜꓝꓠꓡꓢꓣꓤꓦꓧꓨꓪꓫꓬꓮꓰꓲꓳꓴ"),
}
"""Letters that are drawn like Latin ones (Unicode: confusables.txt)."""
_SHORTEST, _SHORTEST_GREEK = 3, 5
"""Letters of a word below which it imitates none: units and variables (`ρgh`, `νe`) are written so."""
_STYLED = ("<font>", "<wide>")
"""What Unicode calls the mathematical and full-width shapes of letters."""
_ENDING = Pattern(r"[a-z]?[A-Z0-9]+[^\W\d_A-Za-z]+")


def prose_marks(text: str) -> tuple[Mark, ...]:
    """The marks to underline in prose."""
    if text.isascii():
        return ()
    found = {*_words(text), *_hosts(text)}
    return tuple(sorted(found, key=lambda mark: (mark.start, mark.end, mark.why)))


def is_host_ending(name: str) -> bool:
    """Whether hosts end in this word, that of a country or a common one. Two small letters are a country's unless files
    end so."""
    if name.lower() in KNOWN_ENDINGS or name.lower() in _COUNTRIES:
        return True
    return len(name) == 2 and name.isascii() and name.isalpha() and name.islower() and name not in FILE_ENDINGS


def apart(word: str) -> str:
    """The host in a dotted word of prose, without the signs of its sentence and without words that are written beside
    it without a blank."""
    return _BEFORE.sub("", _apart(word))


def _words(text: str) -> Iterator[Mark]:
    for match in _WORD.finditer(text):
        if not match[0].isascii() and (why := _about_word(match[0])):
            yield Mark(*match.span(), why)


@lru_cache(maxsize=4096)
def _about_word(word: str) -> str:
    """What is said of a word that reads as a Latin one and is none, else "". Latin abbreviations with an ending of
    another script, as Russian has them, are ordinary."""
    letters = {char for char in word if char.isalpha()}
    foreign = {char for char in letters if not char.isascii()}
    if len(foreign) < len(letters) and any(unicodedata.decomposition(char).startswith(_STYLED) for char in foreign):
        return f"“{word}” only looks like “{unicodedata.normalize('NFKC', word)}”."
    scripts = scripts_of(word)
    if "LATIN" not in scripts or len(scripts) == 1 or _ENDING.fullmatch(word):
        return ""
    if sum(map(str.isalpha, word)) < (_SHORTEST_GREEK if "GREEK" in scripts else _SHORTEST):
        return ""
    others = {char: scripts_of(char) - {"LATIN"} for char in foreign}
    imitates = all(char in _LIKE_LATIN.get(script, "") for char, own in others.items() for script in own)
    return mixed_letters(word) if imitates else ""


def _hosts(text: str) -> Iterator[Mark]:
    seen: set[tuple[int, int]] = set()
    for pattern in (_ADDRESS, _AT_HOST, _BARE_HOST):
        for match in pattern.finditer(text):
            host = _apart(match[1])
            span = (match.start(1), match.start(1) + len(host))
            if host.isascii() or span in seen or (pattern is _BARE_HOST and not _reads_as_host(host)):
                continue
            seen.add(span)
            yield host_mark(host, span)


def _apart(host: str) -> str:
    host = _PUNCTUATION.split(host, maxsplit=1)[0]
    behind = _BEHIND.search(host)
    return host[: behind.start(2)] if behind is not None and is_host_ending(behind[1]) else host


def _reads_as_host(name: str) -> bool:
    return not apart(name).isascii() and is_host_ending(name.rpartition(".")[2])
