"""Updates about the web: passing state, never stored."""

from desktop.domain.core.update import Answer, Outcome


class SearchKeysChanged(Outcome):
    """The search services that have a key. `keyring_problem`: why keys last only until Banksman closes, "" for no
    reason."""

    services: tuple[str, ...]
    keyring_problem: str = ""
    command_id: str = ""


class SearchTried(Answer):
    """What came of a search that a person tried."""

    ok: bool
    text: str
