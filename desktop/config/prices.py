"""ModelPrice: what a person says a model of theirs costs."""

from pydantic import Field

from desktop.domain.core.base import Frozen
from desktop.domain.core.usage import Usage

PER = 1_000_000
"""Tokens that a price is for."""
_MOST = 1_000_000_000_000


class ModelPrice(Frozen):
    """Millionths of a US dollar for a million tokens of `model`. What was read from a cache or written to it is priced
    as all else that the model reads."""

    model: str = Field(min_length=1, max_length=200)
    input_microusd: int = Field(ge=0, le=_MOST)
    output_microusd: int = Field(ge=0, le=_MOST)

    def cost(self, usage: Usage) -> int | None:
        """Millionths of a US dollar, rounded up; None: the service reported no usage."""
        if usage.input is None or usage.output is None:
            return None
        whole = usage.total_input * self.input_microusd + usage.output * self.output_microusd
        return -(-whole // PER)
