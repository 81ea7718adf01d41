"""Fuzzy matching for lists: the letters in order, with a bonus for starts of words and letters in a row."""

_START_OF_WORD, _IN_A_ROW, _FIRST, _PREFIX = 8, 5, 4, 20


def fuzzy_score(query: str, text: str) -> int | None:
    """The score of how well `query` matches `text`, higher is better; None if its letters do not occur in order. Case
    is ignored."""
    wanted, given = query.casefold().replace(" ", ""), text.casefold()
    if not wanted:
        return 0
    starts = [i for i, char in enumerate(given) if char == wanted[0]]
    scores = [score for start in starts if (score := _score_from(wanted, given, start)) is not None]
    if not scores:
        return None
    bonus = _PREFIX if query.casefold() in given else 0
    return max(scores) + bonus - len(given) // 16


def _score_from(wanted: str, given: str, start: int) -> int | None:
    score, at, last = 0, start, -2
    for char in wanted:
        at = given.find(char, at)
        if at < 0:
            return None
        score += _IN_A_ROW if at == last + 1 else 0
        if at == 0 or not given[at - 1].isalnum():
            score += _START_OF_WORD + (_FIRST if at == 0 else 0)
        last, at = at, at + 1
    return score
