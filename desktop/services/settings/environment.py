"""Environment: addresses and keys of model services that the environment of the program holds."""

from collections.abc import Mapping, MutableMapping

from desktop.config.found import FoundService
from desktop.config.settings import ANTHROPIC_ADDRESS, ANTHROPIC_ENDPOINT, OPENAI_ADDRESS, Endpoint, address_problem

ANTHROPIC_KEY, ANTHROPIC_TOKEN, ANTHROPIC_URL = "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL"
OPENAI_KEY, OPENAI_URL = "OPENAI_API_KEY", "OPENAI_BASE_URL"
KEY_VARIABLES = (ANTHROPIC_KEY, ANTHROPIC_TOKEN, OPENAI_KEY)
VARIABLES = (*KEY_VARIABLES, ANTHROPIC_URL, OPENAI_URL)
FOUND_ANTHROPIC, FOUND_OPENAI = "env-anthropic", "env-openai"
_LABEL_CHARS = 60
_NOT_USED = "{variable} in the environment is not used, nor the key beside it: {problem}"


def keys_in(variables: Mapping[str, str]) -> dict[str, str]:
    """The keys that stand there, by their variables; nothing is taken out."""
    return {name: value for name in KEY_VARIABLES if (value := variables.get(name, "").strip())}


class Environment:
    """The variables are taken out of `variables` when this is made, so that no child of the program gets them.

    A key belongs to the address beside it, and without one to the vendor's. `services`: what was found at other
    addresses, and of OpenAI. `problems`: why an address is not used, in sentences; its keys then go nowhere.
    """

    def __init__(self, variables: MutableMapping[str, str]) -> None:
        self._given = {name: variables.pop(name, "").strip() for name in VARIABLES}
        self._keys: dict[tuple[str, str], tuple[str, str]] = {}
        self.problems: tuple[str, ...] = ()
        found = (self._anthropic(), self._openai())
        self.services = tuple(one for one in found if one is not None)

    def key(self, endpoint: Endpoint) -> tuple[str, str]:
        """The key for an endpoint at its present address, and the variable that holds it; blank for none."""
        return self._keys.get((endpoint.protocol, endpoint.base_url), ("", ""))

    def forget(self, endpoint: Endpoint) -> None:
        """Forget the key of that address until the next start, and what was found there."""
        self._keys.pop((endpoint.protocol, endpoint.base_url), None)
        self.services = tuple(one for one in self.services if one.endpoint.base_url != endpoint.base_url)

    def known_values(self) -> dict[str, str]:
        """All keys that were found, by their variables."""
        return keys_in(self._given)

    def _anthropic(self) -> FoundService | None:
        address, key, token = (self._given[name] for name in (ANTHROPIC_URL, ANTHROPIC_KEY, ANTHROPIC_TOKEN))
        if address and not self._may_be_used(ANTHROPIC_URL, address):
            return None
        own = ANTHROPIC_ENDPOINT.model_copy(update={"id": FOUND_ANTHROPIC})
        if address:
            own = Endpoint.model_validate({**own.model_dump(), "kind": "compatible", "base_url": address})
        if own.base_url == ANTHROPIC_ADDRESS:  # a key of the endpoint that is there from the start
            self._keep(own, (key, ANTHROPIC_KEY) if key else (token, ANTHROPIC_TOKEN))
            return None
        secret = (token, ANTHROPIC_TOKEN) if token else (key, ANTHROPIC_KEY)
        auth = "none" if not secret[0] else "api_key" if token else "x-api-key"
        endpoint = own.model_copy(update={"label": _host(own.base_url), "auth": auth})
        return self._found(endpoint, ANTHROPIC_URL, secret)

    def _openai(self) -> FoundService | None:
        address, key = self._given[OPENAI_URL], self._given[OPENAI_KEY]
        if not (address or key) or (address and not self._may_be_used(OPENAI_URL, address)):
            return None
        endpoint = Endpoint(
            id=FOUND_OPENAI,
            label="OpenAI",
            kind="openai_compatible",
            base_url=address or OPENAI_ADDRESS,
            auth="api_key" if key else "none",
        )
        if endpoint.base_url == OPENAI_ADDRESS:
            if not key:
                return None
            own = endpoint.model_copy(update={"kind": "openai"})
            return self._found(own, OPENAI_URL if address else "", (key, OPENAI_KEY))
        return self._found(
            endpoint.model_copy(update={"label": _host(endpoint.base_url)}), OPENAI_URL, (key, OPENAI_KEY)
        )

    def _found(self, endpoint: Endpoint, address_from: str, secret: tuple[str, str]) -> FoundService:
        self._keep(endpoint, secret)
        return FoundService(endpoint=endpoint, address_from=address_from, key_from=secret[1] if secret[0] else "")

    def _keep(self, endpoint: Endpoint, secret: tuple[str, str]) -> None:
        if secret[0]:
            self._keys[endpoint.protocol, endpoint.base_url] = secret

    def _may_be_used(self, variable: str, address: str) -> bool:
        problem = address_problem(address)
        if problem:
            self.problems = (*self.problems, _NOT_USED.format(variable=variable, problem=problem))
        return not problem


def _host(address: str) -> str:
    return address.split("://", 1)[-1].split("/", 1)[0][:_LABEL_CHARS]
