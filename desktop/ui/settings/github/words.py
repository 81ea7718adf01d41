"""How the sign-in to a GitHub stands, in words."""

from desktop.domain.display.text import display_text
from desktop.domain.github.values import GitHubAccount
from desktop.language import tr
from desktop.ui.text.format import clock_time, local_date

_STATES = {
    "none": (tr("not connected"), "neutral"),
    "checking": (tr("checking…"), "neutral"),
    "connected": (tr("connected"), "success"),
    "expired": (tr("token not accepted"), "danger"),
    "offline": (tr("offline"), "warning"),
}
_KEPT = {
    "keyring": tr("kept in the system keyring"),
    "memory": tr("kept until Banksman closes"),
    "environment": tr("from GH_TOKEN or GITHUB_TOKEN"),
}
_SOURCES = {"gh": tr("taken from gh"), "device": tr("signed in by a code")}


def state_chip(account: GitHubAccount) -> tuple[str, str]:
    """A word and its role."""
    if account.state == "connected" and account.read_only:
        return tr("read only"), "warning"
    return _STATES[account.state]


def account_line(account: GitHubAccount) -> str:
    """Who is signed in, and where the token is."""
    parts = (display_text(account.login), _SOURCES.get(account.source, ""), _KEPT.get(account.kept, ""))
    return " · ".join(part for part in parts if part)


def rights_line(account: GitHubAccount) -> str:
    """What the token may do, as far as it tells."""
    return display_text(", ".join(account.scopes)) or tr("Set on GitHub for each repository.")


def end_line(account: GitHubAccount) -> str:
    """Until when the token counts, "" where it does not say."""
    return (
        f"{local_date(account.expires_at)}, {clock_time(account.expires_at)}" if account.expires_at is not None else ""
    )
