"""ProviderKind: what is particular about one kind of model service. Each is one file in `builtin/`, found at start."""

import functools
import importlib
import pkgutil
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from pydantic import SecretStr

from desktop.config.settings import Endpoint
from desktop.domain.core.errors import CommandError, StartError
from desktop.domain.core.service_kinds import Dialect, ServiceField, ServiceKind
from desktop.domain.core.usage import Usage
from desktop.providers.prices import context_window, cost_microusd, listed_price, prices_loaded
from desktop.records import dataclass

if TYPE_CHECKING:
    from desktop.domain.updates import ModelInfo
    from desktop.providers.base import Provider

BUILTIN_PACKAGE = "desktop.providers.builtin"

Make = Callable[[Endpoint, SecretStr | None, float | None], "Provider"]
"""An endpoint, its key (None: it has none), and the seconds between two pieces of text that the program writes itself
(None: the shipped pace; a service that is asked has no use for them)."""


def nothing() -> None:
    """Load nothing: for a kind whose first request needs nothing slow."""


@dataclass(frozen=True, kw_only=True)
class ProviderKind:
    """`name`: its file's, and what `kind` of an endpoint says in the settings. `label`, `fields`: what Settings calls
    it, and what it asks of a person who adds such a service; (): nobody adds one.

    `make`: gives the provider of an endpoint; what is slow to import is imported there. `load`: imports it beforehand,
    on any thread. `priced_as`: the vendor in the price table whose models these are, "" where nobody knows what a
    request costs: a local model that shares a name with one sold elsewhere costs nothing like it. `free`: a request
    costs nothing. `window`: of all its models in tokens, 0 where the table knows them or nobody does. `caches`: what is
    sent twice is cached unless the settings say otherwise. `searches`: it can search the web by itself while it
    answers. `address`: where its service is, "" where each endpoint names one. `speaks`: what its services are asked
    in, `perhaps`: what some of them are asked in too, by agents of others.
    """

    name: str
    label: str
    make: Make
    load: Callable[[], None] = nothing
    priced_as: str = ""
    free: bool = False
    window: int = 0
    caches: bool = False
    searches: bool = False
    address: str = ""
    fields: tuple[ServiceField, ...] = ()
    speaks: tuple[Dialect, ...] = ()
    perhaps: tuple[Dialect, ...] = ()

    @property
    def shown(self) -> ServiceKind:
        """The kind as the window knows it."""
        return ServiceKind(
            name=self.name,
            label=self.label,
            fields=self.fields,
            address=self.address,
            speaks=self.speaks,
            perhaps=self.perhaps,
            searches=self.searches,
        )

    def cost(self, model: str, usage: Usage) -> int | None:
        """The cost of a request in microdollars, rounded up; None: nobody knows."""
        if self.priced_as:
            return cost_microusd(model, usage, self.priced_as)
        return 0 if self.free else None

    def described(self, model: "ModelInfo") -> "ModelInfo":
        """The model with the window and the price that the table knows, where the service did not tell them. Loads the
        table: not for the engine's thread."""
        if not self.priced_as:
            return model
        known: dict[str, int] = {} if model.window else {"window": context_window(model.id, self.priced_as)}
        if model.input_microusd is None and (price := listed_price(model.id, self.priced_as)) is not None:
            known |= {"input_microusd": price[0], "output_microusd": price[1]}
        return model.model_copy(update=known)

    def window_of(self, model: str) -> int:
        """The model's window in tokens as far as it is known without loading the price table first, 0: it is not."""
        if self.window or not self.priced_as or not prices_loaded():
            return self.window
        return context_window(model, self.priced_as)


def discover(package: str = BUILTIN_PACKAGE) -> Mapping[str, ProviderKind]:
    """Import every module of the package and take its KIND, by name. Nothing is skipped.

    Raises:
        StartError: one line that names the file and its fault.
    """
    folder = importlib.import_module(package)
    names = sorted(module.name for module in pkgutil.iter_modules(folder.__path__))
    return {name: _load(package, name) for name in names}


@functools.cache
def builtin_kinds() -> Mapping[str, ProviderKind]:
    """The program's own kinds, looked for once in a process. Raises StartError as `discover`."""
    return discover()


def own_addresses() -> dict[str, str]:
    """By kind, the address of its endpoints that name none; "" where each has to name one."""
    return {name: kind.address for name, kind in builtin_kinds().items()}


def kind_named(name: str) -> ProviderKind:
    """The kind of that name.

    Raises:
        CommandError: `no_kind`, there is no such kind.
    """
    kind = builtin_kinds().get(name)
    if kind is None:
        known = ", ".join(builtin_kinds())
        raise CommandError("no_kind", f"There is no kind '{name}' of model service. Write one of {known}.")
    return kind


def kind_of(endpoint: Endpoint) -> ProviderKind:
    """The kind of an endpoint. Raises CommandError as `kind_named`."""
    return kind_named(endpoint.kind)


def request_cost(endpoint: Endpoint | None, model: str, usage: Usage) -> int | None:
    """The cost of a request at an endpoint in microdollars, rounded up, at the price that the person set if there is
    one; None: nobody knows, or the endpoint is gone."""
    if endpoint is None:
        return None
    own = endpoint.price(model)
    return own.cost(usage) if own is not None else kind_of(endpoint).cost(model, usage)


def _load(package: str, name: str) -> ProviderKind:
    file = f"{name}.py"
    try:
        kind = vars(importlib.import_module(f"{package}.{name}")).get("KIND")
    except Exception as error:  # whatever a module raises must name its file
        raise StartError(f"{file}: cannot be imported: {type(error).__name__}: {error}") from error
    if not isinstance(kind, ProviderKind):
        raise StartError(f"{file}: it must hold KIND = ProviderKind(…).")
    if kind.name != name:
        raise StartError(f'{file}: the kind is named "{kind.name}", not as its file.')
    return kind
