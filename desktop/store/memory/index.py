"""The index of the words of entries: by FTS5, each beside the mark of its owner, and how many entries hold each word.

Entered are the words as `folded` makes them, so that a query is split as the texts were.
"""

import hashlib
import re
import unicodedata
from sqlite3 import Connection

from desktop.domain.memory.values import Entry, Scope
from desktop.store.library.search_query import has_unspaced

_WORD = re.compile(r"[^\W_]+")
_MORE = "INSERT INTO memory_word VALUES (?, 1) ON CONFLICT (word) DO UPDATE SET entries = entries + 1"
_LESS = "UPDATE memory_word SET entries = entries - 1 WHERE word = ?"


def folded(text: str) -> list[str]:
    """The words of a text, small and without accents, in order."""
    if text.isascii():
        return _WORD.findall(text.lower())
    plain = unicodedata.normalize("NFD", text.casefold())
    return _WORD.findall("".join(c for c in plain if not unicodedata.combining(c)))


def owner_mark(scope: Scope, owner: str) -> str:
    """The word by which entries of one owner are found."""
    return f"o{hashlib.sha256(f'{scope} {owner}'.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def storable(text: str) -> str:
    """The text as the database can hold it: lone surrogates become U+FFFD, NUL a blank."""
    return text.replace("\0", " ").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def add(connection: Connection, number: int | None, entry: Entry) -> None:
    """Enter the words; scripts without blanks between words by groups of three characters too."""
    text = storable(entry.content)
    words = folded(text)
    values = (number, owner_mark(entry.scope, entry.owner), " ".join(words))
    connection.execute("INSERT INTO memory_text(rowid, owner, text) VALUES (?, ?, ?)", values)
    connection.executemany(_MORE, [(word,) for word in set(words)])
    if has_unspaced(text):
        connection.execute("INSERT INTO memory_three(rowid, text) VALUES (?, ?)", (number, text))


def remove(connection: Connection, number: int, entry: Entry) -> None:
    """Take the words of an entry out."""
    connection.execute("DELETE FROM memory_text WHERE rowid = ?", (number,))
    connection.execute("DELETE FROM memory_three WHERE rowid = ?", (number,))
    connection.executemany(_LESS, [(word,) for word in set(folded(storable(entry.content)))])
