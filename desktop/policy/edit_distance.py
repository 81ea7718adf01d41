"""The number of letters by which two words differ."""


def edit_distance(a: str, b: str, *, limit: int) -> int:
    """The number of letters to add, drop or change to turn `a` into `b`; `limit` + 1 when it is more than that."""
    if abs(len(a) - len(b)) > limit:
        return limit + 1
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, start=1):
        above, row = row, [i]
        for j, y in enumerate(b, start=1):
            row.append(min(above[j] + 1, row[j - 1] + 1, above[j - 1] + (x != y)))
    return min(row[-1], limit + 1)
