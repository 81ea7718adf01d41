"""Welcome: the steps of a first start, in the centre until a repository is open (ui-U152)."""

from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QDragEnterEvent, QDragMoveEvent, QDropEvent, QShowEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QPushButton, QScrollArea, QVBoxLayout, QWidget

from desktop.domain.commands import OpenProject, OpenSample, SaveSettings
from desktop.domain.display.text import display_text
from desktop.domain.guests.commands import ListGuests
from desktop.domain.guests.updates import GuestsListed
from desktop.domain.guests.values import OWN_DRIVER
from desktop.domain.updates import CommandFailed, ProjectOpened, SessionsChanged
from desktop.language import said, tr
from desktop.ui.core.engine_facts import EngineFacts
from desktop.ui.core.hearing import Hearing
from desktop.ui.core.requests import Request, Requests, answer
from desktop.ui.text.places import short_path
from desktop.ui.theme.stylesheet import restyle
from desktop.ui.theme.theme import theme
from desktop.ui.theme.tokens import SPACE_2, SPACE_3, SPACE_5, SPACE_6
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say
from desktop.ui.widgets.layouts.column import Column
from desktop.ui.widgets.layouts.edge_fade import EdgeFade
from desktop.ui.widgets.layouts.gaps import set_gaps
from desktop.ui.window.welcome_agents import AgentOffers, FoundOffer
from desktop.ui.window.welcome_parts import RecentRow, TaskRow, WelcomeStep
from desktop.ui.window.welcome_tour import TOUR_TASK, TourStep

TASKS = (
    tr("Explain how this repository is built: its main parts, how they work together, and how to run its tests."),
    tr("Run the tests. If any fail, find out why and propose a fix."),
    tr("Find the part of this code most in need of a test, and write one."),
)
_ANY_FOLDER = tr("A folder with a git repository. You can also drop it here.")
_LOOKING = tr("Looking for a key in the system keyring…")
_NO_KEY = tr("No key yet. It is kept in the system keyring. The demo needs no key and no network.")
_KEY_TITLE, _AGENT_TITLE = tr("Add a model key"), tr("Choose who works")
_FIRST = tr("Add a model key first.")
_MISSING = "not_a_folder"
_LANES = tr("Banksman works in lanes beside your checkout, which stays as it is.")


class Welcome(QScrollArea):
    """Says with signals what a person asks for. `task_chosen` carries a text for the composer.

    `holds`: there is still a step to do here although a repository is open; it turns False with `left`.
    """

    open_asked = Signal()
    key_asked = Signal()
    demo_asked = Signal()
    task_chosen = Signal(str)
    service_asked = Signal(str)
    left = Signal()

    def __init__(self, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._requests = requests
        self._facts = EngineFacts()
        self._opening: list[Request] = []
        self._missing: set[str] = set()
        self._chats = 0
        self._looking, self._chosen = Request(), False
        self._touring = Request()
        self._begun, self._left = False, False
        self._rows: dict[str, RecentRow] = {}
        self.setObjectName("welcome")
        self.setAccessibleName(tr("Welcome"))
        self.setProperty("kind", "plain")
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setAcceptDrops(True)
        self.viewport().setAcceptDrops(True)
        self._title = plain_label(self, "page")
        self._under = plain_label(self, "muted")
        self._under.setText(_LANES)
        self._problem = plain_label(self, name="welcome_problem", role="danger")
        self._open_step, self._open = self._make_open_step()
        self._key_step, self._add_key = self._make_key_step()
        self._task_step, self._tasks = self._make_task_step()
        self._tour = TourStep(self)
        self._tour.asked.connect(self._on_tour)
        self._skip = _button(tr("Go to the chat"), "welcome_skip", "link", self)
        self._skip.clicked.connect(self.leave)
        heard = Hearing(self._facts.hearing).on(ProjectOpened, self._on_project).on(SessionsChanged, self._on_chats)
        self.hearing = heard.after(self._refresh, unless=self.isHidden)
        self._lay_out()
        EdgeFade(self, "surface")
        self._refresh()

    @property
    def holds(self) -> bool:
        """Whether a repository is open and a step is still worth showing: its first chat has not begun."""
        if self._facts.project is None or self._left or self._chats or self._facts.problem:
            return False
        return self._begun or self._lacks_key

    def open_path(self, path: str) -> None:
        """Ask the engine to open the repository at this path; what it says against it is shown here."""
        self._begun = True
        say(self._problem, "")
        self._opening.append(self._requests.ask(OpenProject(path=path), self, failed=partial(self._on_refused, path)))

    def leave(self) -> None:
        """The steps that are left are skipped."""
        self._left = True
        self.left.emit()

    def showEvent(self, event: QShowEvent) -> None:
        """The button of the step to do has the focus."""
        super().showEvent(event)
        self._refresh()
        self._take_focus()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        """A folder may be dropped anywhere on the page."""
        if _dropped(event):
            event.acceptProposedAction()

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        """Everywhere on the page is as good."""
        if _dropped(event):
            event.acceptProposedAction()

    def dropEvent(self, event: QDropEvent) -> None:
        """Open what was dropped; the engine says if it is no repository."""
        path = _dropped(event)
        if path:
            event.acceptProposedAction()
            self.open_path(path)

    # what the engine tells

    def _on_refused(self, path: str, failed: CommandFailed) -> None:
        if failed.code == _MISSING:
            self._missing.add(path)
        say(self._problem, display_text(failed.text))

    def _on_project(self, update: ProjectOpened) -> None:
        for request in self._opening:
            request.drop()
        self._opening.clear()
        say(self._problem, display_text(said(update.problem)))
        if update.sample and self._touring.is_waiting:
            self._touring.drop()
            self._on_task(TOUR_TASK)

    def _on_chats(self, update: SessionsChanged) -> None:
        self._chats = len(update.sessions)

    # what is shown

    @property
    def _has_key(self) -> bool:
        facts, endpoint_id = self._facts, self._facts.default_endpoint
        return facts.key_known(endpoint_id) and not facts.key_missing(endpoint_id)

    @property
    def _lacks_key(self) -> bool:
        """It is known that there is none, nor an agent in its place."""
        facts, endpoint_id = self._facts, self._facts.default_endpoint
        return not self._agent and facts.key_known(endpoint_id) and bool(facts.key_missing(endpoint_id))

    @property
    def _agent(self) -> str:
        """The agent of others that carries out new chats, "" for none that can."""
        chosen = self._facts.settings.default_agent
        return chosen if chosen != OWN_DRIVER and not self._facts.guest_missing(chosen) else ""

    def _show_agents(self) -> None:
        """What is installed here is looked for where there is no key."""
        facts = self._facts
        if self._lacks_key and facts.guests is None and not self._looking.is_waiting and self.isVisible():
            self._looking = self._requests.ask(ListGuests(), self, answer(GuestsListed, self._on_agents))
        here = [one for one in facts.guests or () if not facts.guest_missing(one.id) and one.asks]
        self._agents.show_agents(here)
        self._agents.setVisible(bool(here) and self._lacks_key)

    def _on_agents(self, _listed: GuestsListed) -> None:
        self._refresh()

    def _on_agent(self, guest_id: str) -> None:
        self._begun = self._chosen = True
        settings = self._facts.settings.model_copy(update={"default_agent": guest_id})
        self._requests.ask(SaveSettings(settings=settings), self, failed=self._on_agent_refused)

    def _on_agent_refused(self, failed: CommandFailed) -> None:
        say(self._problem, display_text(failed.text))

    def _refresh(self) -> None:
        opened, keyed = self._facts.project is not None, self._has_key or bool(self._agent)
        self._show_agents()
        self._title.setText(_heading(opened, keyed))
        project = self._facts.project
        at = short_path(project.path) if project is not None else ""
        self._open_step.sentence.setText(display_text(at) or _ANY_FOLDER)
        self._key_step.sentence.setText(self._model_words() if keyed else _NO_KEY if self._lacks_key else _LOOKING)
        self._key_step.set_title(_AGENT_TITLE if self._agent else _KEY_TITLE)
        self._open_step.set_state(done=opened, lit=not opened)
        self._key_step.set_state(done=keyed, lit=opened and not keyed)
        self._task_step.set_state(done=False, lit=opened and keyed)
        restyle(self._open, kind="primary" if not opened else "")
        restyle(self._add_key, kind="primary" if opened and not keyed else "")
        for task in self._tasks:
            set_off(task, "" if opened and keyed else _FIRST if opened else tr("Open a repository first."))
        self._tour.setVisible(not opened)
        self._found.show_found(self._facts.found if self._lacks_key else ())
        self._skip.setVisible(opened)
        self._show_recent()
        if self._chosen and self._agent:  # the button that was pressed is gone
            self._chosen = False
            self._take_focus()

    def _model_words(self) -> str:
        facts = self._facts
        if self._agent:
            return tr("{agent} carries out new chats.", agent=facts.guest_label(self._agent))
        endpoint = facts.endpoint(facts.default_endpoint)
        if endpoint is None or not endpoint.default_model:
            return tr("A model service is set up.")
        model, service = display_text(endpoint.default_model), display_text(endpoint.label)
        if (found := facts.found_service(endpoint.id)) is not None:
            return tr(
                "New chats use {model} of {service}, found in your environment ({variables}).",
                model=model,
                service=service,
                variables=found.variables,
            )
        if variable := facts.key_state(endpoint.id).variable:
            return tr(
                "New chats use {model} of {service}, with the key of {variable} in your environment.",
                model=model,
                service=service,
                variable=variable,
            )
        return tr("New chats use {model} of {service}.", model=model, service=service)

    def _show_recent(self) -> None:
        paths = self._facts.settings.recent_projects
        if tuple(self._rows) != paths:
            for row in self._rows.values():
                self._recent_rows.removeWidget(row)
                row.deleteLater()
            self._rows = {path: RecentRow(path, self._recent) for path in paths}
            for row in self._rows.values():
                row.picked.connect(self.open_path)
                self._recent_rows.addWidget(row)
        for path, row in self._rows.items():
            row.set_missing(path in self._missing)
        self._recent.setVisible(bool(paths) and self._facts.project is None)

    def _take_focus(self) -> None:
        if self._facts.project is None:
            self._open.setFocus()
        elif not self._has_key and not self._agent:
            self._add_key.setFocus()
        else:
            self._tasks[0].setFocus()

    # what a person does

    def _on_open(self) -> None:
        self._begun = True
        self.open_asked.emit()

    def _on_key(self) -> None:
        self._begun = True
        self.key_asked.emit()

    def _on_tour(self) -> None:
        say(self._problem, "")
        self._touring = self._requests.ask(OpenSample(), self, failed=self._on_agent_refused)

    def _on_task(self, text: str) -> None:
        self.leave()
        self.task_chosen.emit(text)

    # making

    def _make_open_step(self) -> tuple[WelcomeStep, QPushButton]:
        step = WelcomeStep(1, tr("Open a repository"), self)
        button = _button(tr("Open folder…"), "welcome_open", "primary", step)
        button.clicked.connect(self._on_open)
        self._recent = QWidget(step)
        self._recent.setObjectName("welcome_recent")
        self._recent.setAccessibleName(tr("Recent repositories"))
        self._recent_rows = QVBoxLayout(self._recent)
        set_gaps(self._recent_rows, (0, SPACE_2, 0, 0), 0)
        heading = plain_label(self._recent, "heading")
        heading.setText(tr("RECENT"))
        heading.setAccessibleName(tr("Recent repositories"))
        self._recent_rows.addWidget(heading)
        step.body.addLayout(_row(button))
        step.body.addWidget(self._problem)
        step.body.addWidget(self._recent)
        return step, button

    def _make_key_step(self) -> tuple[WelcomeStep, QPushButton]:
        step = WelcomeStep(2, _KEY_TITLE, self)
        key = _button(tr("Add key…"), "welcome_add_key", "", step)
        demo = _button(tr("Try the demo"), "welcome_demo", "", step)
        demo.setToolTip(tr("Opens a second window with a throw-away repository."))
        key.clicked.connect(self._on_key)
        demo.clicked.connect(self.demo_asked)
        self._agents = AgentOffers(step)
        self._agents.chosen.connect(self._on_agent)
        step.body.addLayout(_row(key, demo))
        self._found = FoundOffer(step)
        self._found.asked.connect(self.service_asked)
        step.body.addWidget(self._found)
        step.body.addWidget(self._agents)
        return step, key

    def _make_task_step(self) -> tuple[WelcomeStep, list[TaskRow]]:
        step = WelcomeStep(3, tr("Give it a first task"), self)
        step.sentence.setText(tr("These fill the message field. Nothing runs until you send."))
        tasks = [TaskRow(number, text, step) for number, text in enumerate(TASKS, 1)]
        for task in tasks:
            task.picked.connect(self._on_task)
            step.body.addWidget(task)
        return step, tasks

    def _lay_out(self) -> None:
        page = Column(self)
        set_gaps(page.rows, spacing=SPACE_3)
        page.rows.addSpacing(theme().px(SPACE_6))
        page.rows.addStretch(1)
        page.rows.addWidget(self._title)
        page.rows.addWidget(self._under)
        page.rows.addSpacing(theme().px(SPACE_2))
        for step in (self._open_step, self._key_step, self._task_step, self._tour):
            page.rows.addWidget(step)
        page.rows.addLayout(_row(self._skip))
        page.rows.addStretch(2)
        page.rows.addSpacing(theme().px(SPACE_5))
        self.setWidget(page)
        say(self._problem, "")


def _button(text: str, name: str, kind: str, parent: QWidget) -> QPushButton:
    button = push_button(text, name, parent)
    button.setProperty("kind", kind)
    return button


def _row(*buttons: QPushButton) -> QHBoxLayout:
    row = QHBoxLayout()
    set_gaps(row, spacing=SPACE_2)
    for button in buttons:
        row.addWidget(button)
    row.addStretch(1)
    return row


def _heading(opened: bool, keyed: bool) -> str:
    if not opened:
        return tr("Open a repository to begin.")
    return tr("What should be done first?") if keyed else tr("Add a model key.")


def _dropped(event: QDropEvent) -> str:
    """The one local path that is dropped, "" for anything else."""
    urls = event.mimeData().urls()
    return urls[0].toLocalFile() if len(urls) == 1 and urls[0].isLocalFile() else ""
