"""RepositoryCalls: what a repository is, the account's fork of it, what it wants of branches, taking one away."""

from urllib.parse import quote

from pydantic import TypeAdapter

from desktop.domain.github.values import GitHubError
from desktop.domain.pulls.pull_request import OwnFork, RepositoryFacts, RepositoryId
from desktop.services.github import graphql_models as graph
from desktop.services.github import rest_models as rest
from desktop.services.github.place import Place
from desktop.services.github.transport import all_of
from desktop.services.github.values import repository_facts

OWN_FORKS = """
query OwnForks($owner: String!, $name: String!) {
  repository(owner: $owner, name: $name) {
    forks(first: 5, affiliations: [OWNER]) { nodes { name owner { login } } }
  }
}
"""
_RULES = TypeAdapter(list[rest.Rule]).validate_json


class RepositoryCalls:
    """Calls about a repository. Every method raises GitHubError."""

    def __init__(self, place: Place) -> None:
        self._place = place

    async def facts(self) -> RepositoryFacts:
        """The rights of the account in this repository. A repository that was renamed is followed: from now on its new
        name counts."""
        told = await self._place.transport.get(self._place.path(), rest.Repository)
        facts = repository_facts(self._place.repository.host, told)
        if facts.repository != self._place.repository:
            self._place.repository = facts.repository
            self._place.renamed(facts.repository)
        return facts

    async def own_fork(self) -> OwnFork | None:
        """The account's fork of this repository, whatever its name is; None: it has none."""
        here, viewer = self._place.repository, self._place.viewer
        if not viewer or viewer.casefold() == here.owner.casefold():
            return None
        if (found := await self.fork_named(here.name)) is not None:
            return found
        for name in await self._other_names():
            if (found := await self.fork_named(name)) is not None:
                return found
        return None

    async def fork_named(self, name: str) -> OwnFork | None:
        """The account's repository of this name, if branches can be proposed here from it; None: there is none."""
        here = self._place.repository
        try:
            told = await self._place.transport.get(f"/repos/{quote(self._place.viewer)}/{quote(name)}", rest.Repository)
        except GitHubError as error:
            if error.kind == "not_found":
                return None
            raise
        made_from = {f"{one.owner.login}/{one.name}".casefold() for one in (told.parent, told.source) if one}
        if here.slug.casefold() not in made_from or told.archived or not told.permissions.push:
            return None
        found = RepositoryId(host=here.host, owner=told.owner.login, name=told.name)
        return OwnFork(repository=found, https=told.clone_url, ssh=told.ssh_url)

    async def _other_names(self) -> list[str]:
        """What the account calls its direct forks that have another name than the repository. A list of all forks can
        have tens of thousands; one that is restricted to the account's own is GraphQL's alone."""
        here, viewer = self._place.repository, self._place.viewer.casefold()
        try:
            told = await self._place.transport.query(
                OWN_FORKS, {"owner": here.owner, "name": here.name}, graph.ForksData
            )
        except GitHubError as error:
            if error.kind in ("not_found", "forbidden"):
                return []
            raise
        mine = [name for owner, name in told.named if owner.casefold() == viewer]
        return [name for name in mine if name.casefold() != here.name.casefold()]

    async def required_checks(self, branch: str) -> frozenset[str] | None:
        """Names of the checks without which nothing is merged into this branch. None: the account may not know."""
        name = quote(branch, safe="")
        try:
            told = await self._place.transport.get(self._place.path(f"/branches/{name}"), rest.Branch)
            rules = await self._place.transport.listed(self._place.path(f"/rules/branches/{name}"), _RULES, all_of)
        except GitHubError as error:
            if error.kind in ("forbidden", "not_found"):
                return None
            raise
        wanted = told.protection.required_status_checks if told.protection is not None else None
        names = set(wanted.contexts if wanted is not None else ())
        for rule in rules.items:
            if rule.type == "required_status_checks" and rule.parameters is not None:
                names |= {one.context for one in rule.parameters.required_status_checks}
        return frozenset(names)

    async def delete_branch(self, branch: str) -> None:
        """The branch is gone; one that was gone already is fine."""
        try:
            await self._place.transport.write("DELETE", self._place.path(f"/git/refs/heads/{quote(branch)}"))
        except GitHubError as error:
            if error.kind != "not_found" and "does not exist" not in error.said:
                raise
