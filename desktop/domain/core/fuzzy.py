"""best_weight(): how well a text has some letters in order, with more for starts of words and letters in a row."""

_START_OF_WORD, _IN_A_ROW, _FIRST = 8, 5, 4


def best_weight(wanted: str, text: str) -> int | None:
    """The best of the ways that begin at one of its first letters, higher is better; None: the letters are not in the
    text in this order. `wanted`: not empty; case counts."""
    best, start = None, text.find(wanted[0])
    while start >= 0:
        weight = _weight_from(wanted, text, start)
        if weight is None:
            break
        best = weight if best is None else max(best, weight)
        start = text.find(wanted[0], start + 1)
    return best


def _weight_from(wanted: str, text: str, start: int) -> int | None:
    weight, at, last = 0, start, -2
    for char in wanted:
        at = text.find(char, at)
        if at < 0:
            return None
        weight += _IN_A_ROW if at == last + 1 else 0
        if at == 0 or not text[at - 1].isalnum():
            weight += _START_OF_WORD + (_FIRST if at == 0 else 0)
        last, at = at, at + 1
    return weight
