"""A skill as it is written: SKILL.md with front matter, in the open Agent Skills format (memory-SK1)."""

import hashlib

from desktop.domain.credentials.names import name_problem
from desktop.domain.credentials.values import MOST_USES
from desktop.domain.skills.values import Fault, SecretMount, SkillFile
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
        mounts = _mounts(fields)
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
            secrets=tuple(dict.fromkeys((*fields.names("requires_secrets"), *(one.name for one in mounts)))),
            mounts=mounts,
            shown=_compatible(fields) | fields.shown("license", "metadata"),
            ignored=fields.rest(),
            warnings=renamed,
        )
    except MatterError as error:
        return Fault(path, error.line, str(error))


def _mounts(fields: MatterFields) -> tuple[SecretMount, ...]:
    """How it wants its secrets: `{token: env:API_TOKEN}`, `{token: {file: KEY_FILE}}`, `{API_TOKEN: env}`."""
    mounts: list[SecretMount] = []
    pairs = fields.pairs("secret_mounts")
    for name, said in pairs if pairs else ((one, "env") for one in fields.names("secret_mounts")):
        way, _, variable = said.partition(":")
        variable = variable or name
        problem = name_problem(variable)
        if way not in ("env", "file") or problem:
            raise fields.fault("secret_mounts", f"'{name[:60]}' must be env or file: {problem or said[:60]}.")
        mounts.append(SecretMount(name, "env" if way == "env" else "file", variable))
    if len(mounts) > MOST_USES or len({one.variable for one in mounts}) < len(mounts):
        raise fields.fault("secret_mounts", f"It may name at most {MOST_USES} secrets, each as another variable.")
    return tuple(mounts)


def _compatible(fields: MatterFields) -> dict[str, str]:
    text = fields.text("compatibility", most=COMPATIBILITY_CHARS)
    return {"compatibility": text} if text else {}
