"""Skills as a theme: what the person and the repository have for agents, and what each chat knows and uses of it."""

from desktop.agent.chats.build import Chats
from desktop.agent.core.offers import offer
from desktop.agent.core.premises import Premises
from desktop.agent.core.theme import Theme
from desktop.agent.skills.book import SkillBook
from desktop.agent.skills.chats import ChatSkills
from desktop.agent.skills.shelf import SkillShelf
from desktop.store.gate.trust import ContentTrust
from desktop.tools.skill_calls import LoadSkill


class Skills:
    """`book` knows all skills, `desk` those of each chat."""

    def __init__(self, premises: Premises, chats: Chats) -> None:
        folders = premises.folders
        shelf = SkillShelf(folders.data, premises.clock)
        self.book = SkillBook(shelf, ContentTrust(folders.data, "skills"))
        self.desk = ChatSkills(self.book, lambda: chats.settings.redactor)
        chats.slash.others.add(self.desk.commands)
        chats.slash.sent_by_others.add(self.desk.called)
        self.theme = Theme(
            "skills",
            offers=(offer(LoadSkill, self.desk.offered),),
            prompt=self.desk.section,
            before_request=self.desk.before_request,
        )
