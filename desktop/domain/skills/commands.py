"""Commands about skills: listing them, looking at one, accepting it, taking it away."""

from typing import ClassVar, Literal

from desktop.domain.core.command import Command


class LoadSkills(Command):
    """All skills with how they stand, those in the trash, and the agents. → SkillsLoaded."""

    reads: ClassVar[bool] = True
    type: Literal["load_skills"] = "load_skills"


class FindSkillImports(Command):
    """Look for skills of other programs in the person's home folder. → SkillImportsFound."""

    reads: ClassVar[bool] = True
    type: Literal["find_skill_imports"] = "find_skill_imports"


class ReviewSkill(Command):
    """A skill as it would be installed or accepted. `source` folder: one that a person picked; zip: a file; file: an
    agent or a command that a person picked; own: the
    person's skill of this id, as it stands; commit: that in this folder of the commit `sha256`, which was fetched last;
    repository: the skill at this place, where the skills together are those of `sha256` ("": in the checkout).
    → SkillReviewed."""

    reads: ClassVar[bool] = True
    type: Literal["review_skill"] = "review_skill"
    source: Literal["folder", "zip", "file", "own", "commit", "repository"]
    place: str
    sha256: str = ""


class InstallSkill(Command):
    """Install what was reviewed under this digest; what stood there goes to the trash. → SkillsLoaded."""

    type: Literal["install_skill"] = "install_skill"
    skill_id: str
    sha256: str


class UninstallSkill(Command):
    """Move the person's skill to the trash, for 30 days. → SkillsLoaded."""

    type: Literal["uninstall_skill"] = "uninstall_skill"
    skill_id: str


class RestoreSkill(Command):
    """Bring a skill back. `token`: from the trash; else the accepted files of `skill_id`. → SkillsLoaded."""

    type: Literal["restore_skill"] = "restore_skill"
    skill_id: str = ""
    token: str = ""


class TrustSkills(Command):
    """Let skills, or agents, of the repository be used, for exactly this content. → SkillsLoaded."""

    type: Literal["trust_skills"] = "trust_skills"
    sha256: str
    what: Literal["skills", "agents"] = "skills"
