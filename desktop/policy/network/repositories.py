"""Addresses of repositories that something is fetched from once, as people copy them. Pure (memory-SK9)."""

import re

from desktop.policy.network.hosts import Host, Refused
from desktop.policy.network.urls import check_url
from desktop.records import dataclass

MOST_BRANCH, MOST_FOLDER = 200, 300
_BRANCH = re.compile(r"[A-Za-z0-9][A-Za-z0-9._/+-]*")
_PAGE = re.compile(r"(https://github\.com/[^/?#]+/[^/?#]+)/tree/([^/?#]+)(?:/([^?#]*))?", re.IGNORECASE)
"""The page of a folder, which is what people find in their browser."""


@dataclass(frozen=True)
class Repository:
    """Where something is fetched. `address`: in one spelling; `branch`: a branch, a tag or a whole commit id, "" for
    what the repository begins with; `folder`: below its top, "" for all of it."""

    address: str
    host: Host
    port: int
    branch: str = ""
    folder: str = ""

    @property
    def name(self) -> str:
        """What it is called: the last part of its address."""
        return self.address.rstrip("/").rpartition("/")[2].removesuffix(".git")


def check_repository(text: str, branch: str = "", folder: str = "") -> Repository | Refused:
    """The repository that a person means, or why nothing is asked of it. `branch` and `folder` stand before what the
    address of a page says."""
    page = _PAGE.fullmatch(text.strip())
    if page is not None:
        text, branch, folder = page[1], branch or page[2], folder or page[3] or ""
    address = check_url(text.strip())
    if isinstance(address, Refused):
        return address
    if address.scheme != "https":
        return Refused("A repository is fetched over https alone.")
    if "?" in address.target:
        return Refused("The address of a repository has no question mark.")
    parts = [part for part in folder.strip().split("/") if part]
    if len(folder) > MOST_FOLDER or any(part in (".", "..") for part in parts):
        return Refused("The folder is none of a repository.")
    branch = branch.strip()
    if branch and (len(branch) > MOST_BRANCH or ".." in branch or not _BRANCH.fullmatch(branch)):
        return Refused("That is no name of a branch, a tag or a commit.")
    return Repository(address.text.rstrip("/"), address.host, address.port, branch, "/".join(parts))
