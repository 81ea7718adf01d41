"""The titles of boundaries in the language of the window; recorded they stay English."""

from desktop.language import separated, tr
from desktop.ui.text.call_titles import forms_of

TITLES = {
    "Don’t push": tr("Don’t push"),
    "Ask before you push": tr("Ask before you push"),
    "Don’t commit": tr("Don’t commit"),
    "Ask before you commit": tr("Ask before you commit"),
    "Don’t open a pull request": tr("Don’t open a pull request"),
    "Ask before you open a pull request": tr("Ask before you open a pull request"),
    "Don’t comment on GitHub": tr("Don’t comment on GitHub"),
    "Ask before you comment on GitHub": tr("Ask before you comment on GitHub"),
    "Don’t install anything": tr("Don’t install anything"),
    "Ask before you install anything": tr("Ask before you install anything"),
    "Don’t delete anything": tr("Don’t delete anything"),
    "Ask before you delete anything": tr("Ask before you delete anything"),
    "Don’t change the database": tr("Don’t change the database"),
    "Ask before you change the database": tr("Ask before you change the database"),
    "Don’t use the network": tr("Don’t use the network"),
    "Ask before you use the network": tr("Ask before you use the network"),
    "Don’t start sub-agents": tr("Don’t start sub-agents"),
    "Ask before you start sub-agents": tr("Ask before you start sub-agents"),
    "Don’t change {what} (matches nothing now)": tr("Don’t change {what} (matches nothing now)"),
    "Ask before you change {what} (matches nothing now)": tr("Ask before you change {what} (matches nothing now)"),
    "Don’t change {what}": tr("Don’t change {what}"),
    "Ask before you change {what}": tr("Ask before you change {what}"),
    "Don’t read {what}": tr("Don’t read {what}"),
    "Ask before you read {what}": tr("Ask before you read {what}"),
    "Don’t run {what}": tr("Don’t run {what}"),
    "Ask before you run {what}": tr("Ask before you run {what}"),
    "Don’t use the MCP server {what}": tr("Don’t use the MCP server {what}"),
    "Ask before you use the MCP server {what}": tr("Ask before you use the MCP server {what}"),
    "Don’t use MCP servers": tr("Don’t use MCP servers"),
    "Ask before you use MCP servers": tr("Ask before you use MCP servers"),
    "Only change {what}": tr("Only change {what}"),
    "Spend at most ${amount}": tr("Spend at most ${amount}"),
}
_FORMS = forms_of(TITLES)


def boundary_title(title: str) -> str:
    """What a boundary forbids, "Don’t push", in the language; what it names stays as it is."""
    for form, told in _FORMS:
        if found := form.fullmatch(title):
            named = {name: separated(one) if name == "amount" else one for name, one in found.groupdict().items()}
            return told.format(**named) if named else told
    return title
