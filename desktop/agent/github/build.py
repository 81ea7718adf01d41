"""GitHub as a theme: who is signed in where, and the connections to those hosts."""

from desktop.agent.core.theme import Theme, handlers_of
from desktop.agent.github.access import GitHubAccess
from desktop.agent.github.commands import GitHubCommands


def github_theme(access: GitHubAccess) -> Theme:
    """`access` is made before, because lanes fetch and push with its tokens."""
    hosts = GitHubCommands(access)
    return Theme("github", handlers_of(hosts), attendants=(hosts,), closed_last=(access,))
