"""A skill as it is written: SKILL.md with front matter, in the open Agent Skills format (memory-SK1)."""

import hashlib

from desktop.domain.skills.values import Fault, SkillFile
from desktop.services.skills.front_matter import MatterError, read_front_matter
from desktop.services.skills.matter_fields import DESCRIPTION_CHARS, MatterFields

SKILL_FILE = "SKILL.md"
COMPATIBILITY_CHARS = 500


def read_skill(content: bytes, path: str, folder: str) -> SkillFile | Fault:
    """The skill of a file, or what is wrong with it. `folder`: the name of its folder, which is the skill's id. Never
    raises for any content."""
    matter = read_front_matter(content, path)
    if isinstance(matter, Fault):
        return matter
    fields = MatterFields(matter)
    try:
        name = fields.name()
        renamed = () if name == folder else (f"It is called {folder} as its folder is, not {name}.",)
        return SkillFile(
            path=path,
            sha256=hashlib.sha256(content).hexdigest(),
            name=name,
            description=fields.text("description", most=DESCRIPTION_CHARS, required=True),
            body=matter.body,
            allowed_tools=fields.names("allowed-tools"),
            in_catalogue=not fields.flag("disable-model-invocation", default=False),
            by_person=fields.flag("user-invocable", default=True),
            secrets=fields.names("requires_secrets") + fields.names("secret_mounts"),
            shown=_compatible(fields) | fields.shown("license", "metadata"),
            ignored=fields.rest(),
            warnings=renamed,
        )
    except MatterError as error:
        return Fault(path, error.line, str(error))


def _compatible(fields: MatterFields) -> dict[str, str]:
    text = fields.text("compatibility", most=COMPATIBILITY_CHARS)
    return {"compatibility": text} if text else {}
