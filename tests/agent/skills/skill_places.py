"""Skills for tests: in the person's folder, accepted, and in a repository."""

from pathlib import Path

from desktop.agent.skills.shelf import SkillShelf
from desktop.config.folders import Folders
from desktop.domain.core.clock import utc_now
from desktop.domain.skills.packages import Package, PackageFile
from tests.agent.rig import git


def skill_text(name: str, body: str = "Do it well.", more: str = "") -> str:
    return f"---\nname: {name}\ndescription: How {name} is done\n{more}---\n\n{body}\n"


def package(files: dict[str, str | bytes], executable: tuple[str, ...] = ()) -> Package:
    return Package(
        PackageFile(path, path in executable, content if isinstance(content, bytes) else content.encode())
        for path, content in files.items()
    )


def own_skill(folders: Folders, name: str, body: str = "Do it well.", more: str = "", **files: str) -> Path:
    """An accepted skill of the person; its folder."""
    shelf = SkillShelf(folders.data, utc_now)
    text = skill_text(name, body, more)
    shelf.install(name, package({"SKILL.md": text, **files}, tuple(files)), source="a test")
    return shelf.folder / name


def shared_skill(
    repository: Path, name: str, body: str = "Do it so.", *, place: str = ".banksman/skills", more: str = ""
) -> Path:
    """A committed skill of the repository; its folder."""
    folder = repository / place / name
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "SKILL.md").write_text(skill_text(name, body, more))
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", f"skill {name}")
    return folder
