"""Fuzzy matching for lists: the letters in order, with a bonus for starts of words and letters in a row."""

from desktop.domain.core.fuzzy import best_weight

_PREFIX = 20


def fuzzy_score(query: str, text: str) -> int | None:
    """The score of how well `query` matches `text`, higher is better; None if its letters do not occur in order. Case
    is ignored."""
    wanted, given = query.casefold().replace(" ", ""), text.casefold()
    if not wanted:
        return 0
    weight = best_weight(wanted, given)
    if weight is None:
        return None
    bonus = _PREFIX if query.casefold() in given else 0
    return weight + bonus - len(given) // 16
