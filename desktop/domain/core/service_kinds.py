"""ServiceKind: what Settings shows of a kind of model service, and what it asks of a person who adds one; addresses of
services that other programs use."""

from typing import Literal

from desktop.domain.core.base import Frozen

FieldName = Literal["label", "base_url", "default_model", "auth"]
"""The values of an endpoint that a person enters when they add one."""
Dialect = Literal["anthropic", "openai", "responses", "gemini"]
"""What a model service is asked in."""
DIALECT_WORDS: dict[Dialect, str] = {
    "anthropic": "Messages",
    "openai": "chat completions",
    "responses": "Responses",
    "gemini": "Gemini's own protocol",
}


class ServiceField(Frozen):
    """One field of the form. `help`: a sentence below it; `example`: what stands in it while it is empty."""

    name: FieldName
    label: str
    help: str = ""
    example: str = ""


class ServiceKind(Frozen):
    """A kind as people see it. `name`: what `kind` of an endpoint says. `fields`: what the form for one more asks, in
    order; (): it comes with its endpoint, and none is added. `address`: where it is unless a person enters another.
    `speaks`: what its services are asked in; `perhaps`: what some of them can be asked in too. `searches`: it can
    search the web by itself while it answers."""

    name: str
    label: str
    fields: tuple[ServiceField, ...] = ()
    address: str = ""
    searches: bool = False
    speaks: tuple[Dialect, ...] = ()
    perhaps: tuple[Dialect, ...] = ()


class FoundAddress(Frozen):
    """The address of a service that another program uses. `kind`: what speaks there; `file`: where it stands."""

    program: str
    file: str
    kind: str
    address: str
