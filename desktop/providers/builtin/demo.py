"""The demo: scripted, built in, offline."""

from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.config.settings import Endpoint
from desktop.late import late
from desktop.providers.kinds import ProviderKind

if TYPE_CHECKING:
    from desktop.providers.base import Provider

WINDOW = 200_000


def demo_provider(endpoint: Endpoint, key: SecretStr | None, pace_s: float | None) -> "Provider":
    """A `desktop.providers.demo.DemoProvider`, which asks nobody and needs no key."""
    provider: Provider = late("desktop.providers.demo").DemoProvider(pace_s=pace_s)
    return provider


KIND = ProviderKind(name="demo", label="Demo", make=demo_provider, free=True, window=WINDOW)
