"""The cost of a request and the size of a model's window, from the table that ships with genai-prices.

Nothing is fetched.
"""

import threading
from decimal import ROUND_CEILING, Decimal
from functools import cache
from typing import Protocol, cast

from desktop.config.settings import DEMO_ENDPOINT
from desktop.domain.core.usage import Usage
from desktop.late import late

VENDOR = "anthropic"


class _Model(Protocol):
    context_window: int | None


class _Tiered(Protocol):
    base: Decimal


class _ModelPrice(Protocol):
    input_mtok: Decimal | _Tiered | None
    output_mtok: Decimal | _Tiered | None


class _Calculation(Protocol):
    total_price: Decimal
    model: _Model
    model_price: _ModelPrice


class _PriceTable(Protocol):
    """The part of the module `genai_prices` that is used; it is imported at the first price (0.1 s)."""

    __version__: str

    def Usage(self, **counts: int) -> object: ...  # noqa: N802

    def calc_price(self, usage: object, model_ref: str, *, provider_id: str) -> _Calculation: ...


_importing = threading.Lock()
_warmed = threading.Event()


def cost_microusd(model: str, usage: Usage, vendor: str = VENDOR) -> int | None:
    """Millionths of a US dollar, rounded up. None: the model has no known price, or the service reported no usage.

    Only models of the vendor are priced: a local model that shares a name with one sold elsewhere costs nothing like
    it. The demo costs 0. The first call takes 0.3 s (see `warm_prices`).
    """
    if model == DEMO_ENDPOINT.default_model:
        return 0
    if usage.input is None or usage.output is None:
        return None
    table = _table()
    counts = {
        "input_tokens": usage.total_input,
        "output_tokens": usage.output,
        "cache_read_tokens": usage.cache_read or 0,
        "cache_write_tokens": (usage.cache_write_5m or 0) + (usage.cache_write_1h or 0),
        "cache_write_1h_tokens": usage.cache_write_1h or 0,
        "web_searches": usage.web_searches or 0,
    }
    try:
        price = table.calc_price(table.Usage(**counts), model, provider_id=vendor).total_price
    except (LookupError, ValueError):
        return None
    return int((price * 1_000_000).to_integral_value(ROUND_CEILING))


def context_window(model: str, vendor: str = VENDOR) -> int:
    """The window of a model of the vendor in tokens, 0: unknown. The first call takes 0.3 s, as that of a cost."""
    table = _table()
    try:
        known = table.calc_price(table.Usage(input_tokens=0), model, provider_id=vendor)
    except (LookupError, ValueError):
        return 0
    return known.model.context_window or 0


def listed_price(model: str, vendor: str = VENDOR) -> tuple[int, int] | None:
    """Millionths of a US dollar for a million tokens read and written, of short requests where long ones cost more.
    None: unknown. The first call takes 0.3 s, as that of a cost."""
    table = _table()
    try:
        price = table.calc_price(table.Usage(input_tokens=0), model, provider_id=vendor).model_price
    except (LookupError, ValueError):
        return None
    read, written = _microusd(price.input_mtok), _microusd(price.output_mtok)
    return (read, written) if read is not None and written is not None else None


def prices_loaded() -> bool:
    """Whether a price or a window is had without loading the table first."""
    return _warmed.is_set()


def warm_prices() -> None:
    """Load the price table now, for instance in a thread while the first answer is awaited. Never fails."""
    cost_microusd("claude-sonnet-4-6", Usage(input=1, output=1))
    _warmed.set()


def _microusd(price: Decimal | _Tiered | None) -> int | None:
    if price is None:
        return None
    base = price if isinstance(price, Decimal) else price.base
    return int((base * 1_000_000).to_integral_value(ROUND_CEILING))


def _table() -> _PriceTable:
    with _importing:
        return _imported()


@cache
def _imported() -> _PriceTable:
    return cast(_PriceTable, late("genai_prices"))
