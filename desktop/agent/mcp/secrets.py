"""Values of variables and headers of servers: marks for the system keyring and for the person's own variables (M4)."""

from collections.abc import Mapping

from desktop.agent.settings.keeper import SettingsKeeper
from desktop.domain.core.errors import BanksmanError
from desktop.domain.mcp.values import ENV_MARK, SECRET_MARK


class SecretMissing(BanksmanError):
    """A value that a server needs is not there."""


class McpSecrets:
    """Engine thread only. `env`: the variables that Banksman was started with, without its own keys."""

    def __init__(self, settings: SettingsKeeper, env: Mapping[str, str]) -> None:
        self._settings, self._env = settings, dict(env)

    async def filled(self, server_id: str, pairs: tuple[tuple[str, str], ...]) -> dict[str, str]:
        """The values with their marks replaced.

        Raises:
            SecretMissing: a secret or a variable is not there.
        """
        values: dict[str, str] = {}
        for name, text in pairs:
            for variable in ENV_MARK.findall(text):
                if variable not in self._env:
                    raise SecretMissing(f"It needs the variable {variable}, which Banksman was started without.")
            text = ENV_MARK.sub(lambda found: self._env[found[1]], text)
            for secret in dict.fromkeys(SECRET_MARK.findall(text)):
                text = text.replace(f"${{secret:{secret}}}", await self._secret(server_id, secret))
            values[name] = text
        return values

    async def keep(self, server_id: str, name: str, value: str) -> None:
        """Keep a secret in the keyring, for this server alone."""
        await self._settings.keys.entries.keep(_entry(server_id, name), "", value)
        self._settings.know_secrets()

    async def forget(self, server_id: str, pairs: tuple[tuple[str, str], ...]) -> None:
        """Forget the secrets that these values name."""
        for secret in {secret for _, text in pairs for secret in SECRET_MARK.findall(text)}:
            await self._settings.keys.entries.forget(_entry(server_id, secret), still_known=True)

    async def _secret(self, server_id: str, name: str) -> str:
        entry = await self._settings.keys.entries.entry(_entry(server_id, name))
        if entry is None:
            raise SecretMissing(f"It needs the secret {name}: type it in Settings, MCP.")
        self._settings.know_secrets()
        return entry[1]


def _entry(server_id: str, name: str) -> str:
    return f"mcp:{server_id}:{name}"
