"""request_cost(): what a model request at an endpoint cost."""

from desktop.config.settings import Endpoint
from desktop.domain.core.usage import Usage
from desktop.providers.prices import cost_microusd


def request_cost(endpoint: Endpoint | None, model: str, usage: Usage) -> int | None:
    """Microdollars, rounded up; None: nobody knows. Only the vendor's own models have a price, the demo costs nothing:
    a local model that shares a name with one sold elsewhere costs nothing like it."""
    if endpoint is not None and endpoint.kind == "anthropic":
        return cost_microusd(model, usage)
    return 0 if endpoint is not None and endpoint.kind == "demo" else None
