"""SkillTaker: skills of the person that a call installed or took away, as they were before it."""

from desktop.agent.core.session import Session
from desktop.agent.ledger.taking import Ahead, Look, Took, blocked
from desktop.agent.skills.commands import SkillCommands
from desktop.domain.undo.steps import SkillStep

CHANGED = "The skill {skill} is not as it was left. Look at it in Settings › Skills."


class SkillTaker:
    """Only bytes that a person accepted come back."""

    def __init__(self, skills: SkillCommands) -> None:
        self._skills = skills

    async def look(self, session: Session, step: SkillStep, ahead: Ahead) -> Look:
        """See `Taker`."""
        now = ahead.skills.get(step.skill_id, "-")
        now = await self._skills.standing(step.skill_id) if now == "-" else now
        if now == step.to:
            return Look("done", f"The skill {step.skill_id} is as it was before it.", now)
        if now != step.at:
            return Look("blocked", CHANGED.format(skill=step.skill_id), now)
        ahead.skills[step.skill_id] = step.to
        done = "is what it was before." if step.to else "goes to the trash."
        return Look("ready", f"The skill {step.skill_id} {done}", now)

    async def take(self, session: Session, step: SkillStep) -> Took:
        """See `Taker`."""
        look = await self.look(session, step, Ahead())
        if look.verdict == "blocked":
            raise blocked(look)
        if look.verdict == "ready":
            await self._skills.become(step.skill_id, step.at, step.to)
        return Took(look.text, step.model_copy(update={"at": step.to, "to": step.at}))
