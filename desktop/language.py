"""The language of the window. Texts are written in English where they are used; `tr` gives them in the language that
the person chose, out of `resources/languages`.

What is recorded, sent to a model or written to a file stays English: it is proof, and proof has one wording. Where the
window shows a sentence of a record, `said` gives it in the language.
"""

import json
import re
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path

from desktop.sayings import Sayings, read

ENGLISH = "en"
GERMAN = "de"
LANGUAGES = {ENGLISH: "English", GERMAN: "Deutsch"}
"""Each language as it calls itself."""

SAID = "said"
"""The folder of a language with what is said below the window."""
_SEPARATORS = {GERMAN: (".", ",")}
"""Between thousands, and before decimals; elsewhere a comma and a point."""
_LARGE_BEHIND_COLONS = {GERMAN}
"""Where a whole sentence begins large behind a colon."""
_QUOTES = {GERMAN: "„“"}

_CODE = re.compile(r"(?<=[.!?]) \(D-[a-z-]+\)")
"""Of a built-in protection, behind its sentence."""


class _Worn:
    """The texts of the language that is worn, English where there are none."""

    def __init__(self) -> None:
        self.code = ENGLISH
        self.texts: Mapping[str, str] = {}
        self.forms: Mapping[str, list[str]] = {}
        self.said: Sayings | None = None
        self.form: Callable[[int], int] = _germanic


def _germanic(n: int) -> int:
    return int(n != 1)


_worn = _Worn()


def wear(code: str, folder: Path) -> None:
    """Give all texts from here on in a language of `LANGUAGES`, read from `folder`/`code`. Texts that modules hold were
    asked for when they were imported, so this comes before the first window is. What is empty there is given
    in English.

    Raises:
        OSError, ValueError: its texts cannot be read.
    """
    texts: dict[str, str] = {}
    forms: dict[str, list[str]] = {}
    for file in sorted((folder / code).glob("*.json")) if code != ENGLISH else ():
        for key, told in json.loads(file.read_bytes()).items():
            if isinstance(told, str):
                texts[key] = told or key.rpartition("|")[2]
            elif all(told):
                forms[key] = told
    below = sorted((folder / code / SAID).glob("*.json"))
    said = read(below, separated, _more, _day, _quoted, _begun) if code != ENGLISH else None
    _worn.code, _worn.texts, _worn.forms, _worn.said = code, texts, forms, said


def worn() -> str:
    """The code of the language that is worn."""
    return _worn.code


def tr(text: str, /, *, context: str = "", **values: object) -> str:
    """A text in the language that is worn, with `values` in the place of its `{names}`; braces of a text without values
    stay as they are.

    `context`: says which one is meant where one English word has several meanings; it is never shown.
    """
    told = _worn.texts.get(f"{context}|{text}" if context else text, text)
    return told.format(**values) if values else told


def trn(n: int, one: str, many: str, /, **values: object) -> str:
    """A text that counts, in the form for `n`, which stands in it as `{n}` with its thousands separated."""
    forms = _worn.forms.get(many)
    told = forms[_worn.form(n)] if forms is not None else one if n == 1 else many
    return told.format(n=number(n), **values)


def said(text: str, *, codes: bool = False) -> str:
    """A sentence of the program that was recorded in English, in the language that is worn; what it names, and what
    nobody translated, stays as it is. Never for words of an agent, a person, a file or another program. `codes`: with
    the code of the built-in protection that refused, for details."""
    told = text if codes else _CODE.sub("", text)
    return told if _worn.said is None else _worn.said.of(told)


def filled(form: str, *parts: str) -> str:
    """A recorded sentence of the program whose parts are known: its form, with `{}` for each, in the language."""
    return form.format(*parts) if _worn.said is None else _worn.said.filled(form, parts)


def _more(names: str, more: str) -> str:
    return tr("{names} and {more} more", names=names, more=more)


def _quoted(names: str) -> str:
    names = f"“{names[1:-1]}”" if names.startswith("'") else names
    return names.translate(str.maketrans("“”", _QUOTES.get(_worn.code, "“”")))


def _begun(clause: str) -> str:
    return clause[:1].upper() + clause[1:] if _worn.code in _LARGE_BEHIND_COLONS else clause


def _day(iso: str) -> str:
    try:
        return day_words(date.fromisoformat(iso))
    except ValueError:
        return iso


def day_words(day: date) -> str:
    """A day of the calendar, "21 Nov 2026"."""
    return tr("{day} {month} {year}", day=day.day, month=_month(day.month), year=day.year)


def _month(month: int) -> str:
    first = (tr("Jan"), tr("Feb"), tr("Mar"), tr("Apr"), tr("May"), tr("Jun"))
    return (*first, tr("Jul"), tr("Aug"), tr("Sep"), tr("Oct"), tr("Nov"), tr("Dec"))[month - 1]


def number(n: int) -> str:
    """A whole number with its thousands separated, "1,204"; with a real minus sign."""
    return separated(f"{n:,}").replace("-", "−")


def separated(figure: str) -> str:
    """A figure as Python writes it, "1,204.5", with the separators of the language."""
    if _worn.code not in _SEPARATORS:
        return figure
    thousands, decimal = _SEPARATORS[_worn.code]
    return figure.replace(",", "\0").replace(".", decimal).replace("\0", thousands)


def figure(text: str) -> str:
    """A figure as a person of the language writes it, as Python reads it: without what stands between thousands, and
    with a point before decimals. What is no figure stays as it is."""
    thousands, decimal = _SEPARATORS.get(_worn.code, (",", "."))
    grouped = rf"\d{{1,3}}(\{thousands}\d{{3}})+(\{decimal}\d*)?"
    return (text.replace(thousands, "") if re.fullmatch(grouped, text) else text).replace(decimal, ".")
