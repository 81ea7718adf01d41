"""Token counts of one model request, and sums of them."""

from desktop.domain.core.base import Frozen


class Usage(Frozen):
    """Tokens as the service reported them. None: not reported, which is never the same as 0.

    `input` excludes what was read from or written to the prompt cache. `web_searches`: no tokens, but how often the
    service searched the web for the answer.
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write_5m: int | None = None
    cache_write_1h: int | None = None
    web_searches: int | None = None

    @property
    def total_input(self) -> int:
        """All tokens the model read: plain, cached and newly cached."""
        return sum(n or 0 for n in (self.input, self.cache_read, self.cache_write_5m, self.cache_write_1h))


def add_usage(a: Usage, b: Usage) -> Usage:
    """The sum, field by field; a field is None only if it is None on both sides."""

    def plus(x: int | None, y: int | None) -> int | None:
        return None if x is None and y is None else (x or 0) + (y or 0)

    return Usage(
        input=plus(a.input, b.input),
        output=plus(a.output, b.output),
        cache_read=plus(a.cache_read, b.cache_read),
        cache_write_5m=plus(a.cache_write_5m, b.cache_write_5m),
        cache_write_1h=plus(a.cache_write_1h, b.cache_write_1h),
        web_searches=plus(a.web_searches, b.web_searches),
    )
