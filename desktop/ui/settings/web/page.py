"""Web: whether agents may ask for pages, who searches for them, and hosts of the person's own network."""

from PySide6.QtWidgets import QWidget

from desktop.config.web import SEARCHES
from desktop.domain.display.text import display_text
from desktop.domain.updates import CommandFailed
from desktop.domain.web.commands import LoadSearchKeys, TrySearch
from desktop.domain.web.updates import SearchKeysChanged, SearchTried
from desktop.language import tr
from desktop.ui.core.requests import Requests, answer
from desktop.ui.settings.fields import ChoiceField, Field, TextField
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.settings.web.key import SearchKeyField
from desktop.ui.widgets.buttons.off import UNDER_WAY, set_off
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.card_parts import plain_label, say

_NAME = "settings_web"
_ON, _OFF, _NONE = "on", "off", "none"
_INTRO = tr(
    "While it is on, agents can ask for pages of the web. A host that you have not allowed asks in every mode. Pages "
    "are read as text, without scripts or a sign-in. Once a chat has read a page, each further one asks again."
)
TRYING = tr("Searching…")
_VENDOR = [("off", tr("Off")), ("on", tr("On")), ("always", tr("Always"))]
_VENDOR_HELP = tr(
    "Models of Anthropic's own service then search while they answer. Nobody is asked, and each search costs extra. On "
    "holds until a chat is in Plan or has read something from outside, as a search does; Always holds then, too."
)


class WebPage(SettingsPage):
    """Asks the engine for the keys when it is shown first."""

    name, title, icon = "web", tr("Web"), "globe"

    def __init__(self, saver: SettingsSaver, requests: Requests, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver, self._requests = saver, requests
        self._keyed: tuple[str, ...] = ()
        intro = plain_label(self.contents, "muted", f"{_NAME}_intro")
        intro.setText(_INTRO)
        self.column.addWidget(intro)
        self._switch = ChoiceField(tr("Web"), f"{_NAME}_enabled", [(_OFF, tr("Off")), (_ON, tr("On"))], self.contents)
        offered = [(_NONE, tr("None")), *((name, service.label) for name, service in SEARCHES.items())]
        self._vendor = ChoiceField(
            tr("The model's own search"), f"{_NAME}_vendor", _VENDOR, self.contents, _VENDOR_HELP
        )
        self._search = ChoiceField(
            tr("Search"), f"{_NAME}_search", offered, self.contents, tr("Who gets the words that agents search for.")
        )
        self._address = TextField(
            tr("Address of your SearXNG"),
            f"{_NAME}_searxng",
            self.contents,
            tr("Its settings must allow answers as JSON. This one host may stand in your own network."),
        )
        self._address.edit.setPlaceholderText("https://search.example.com")
        self._keys = {name: SearchKeyField(name, requests, self.contents) for name in SEARCHES if SEARCHES[name].site}
        self._private = TextField(
            tr("Hosts of your own network"),
            f"{_NAME}_private",
            self.contents,
            tr(
                "Names or addresses that are not public and that agents may ask for, with commas between. Each asks as "
                "others do."
            ),
        )
        self._private.edit.setPlaceholderText(tr("None, such as wiki.home, 192.168.1.20"))
        for field in (self._switch, self._search, *self._keys.values(), self._address):
            self.column.addWidget(field)
        self._add_try()
        self.column.addWidget(self._vendor)
        self.column.addWidget(self._private)
        self._switch.chosen.connect(lambda value: self._change(self._switch, enabled=value == _ON))
        self._search.chosen.connect(lambda value: self._change(self._search, search="" if value == _NONE else value))
        self._vendor.chosen.connect(lambda value: self._change(self._vendor, vendor_search=value))
        self._address.entered.connect(lambda text: self._change(self._address, searxng_url=text))
        self._private.entered.connect(lambda text: self._change(self._private, private_hosts=_hosts(text)))
        for key in self._keys.values():
            key.remove_asked.connect(key.remove)
        self.hearing.on(SearchKeysChanged, self._on_keys)
        saver.changed.connect(self.refresh)
        self.refresh()
        requests.ask(LoadSearchKeys(), self, failed=self._on_failed)

    def refresh(self) -> None:
        """Show the settings."""
        web = self._saver.settings.web
        self._switch.set_value(_ON if web.enabled else _OFF)
        self._search.set_value(web.search or _NONE)
        self._vendor.set_value(web.vendor_search)
        self._address.set_value(web.searxng_url)
        self._private.set_value(", ".join(web.private_hosts))
        self._address.setVisible(web.search == "searxng")
        for name, field in self._keys.items():
            field.setVisible(web.search == name)
        ready = web.search in self._keyed or (web.search == "searxng" and bool(web.searxng_url))
        self._trying.setVisible(bool(web.search))
        first = tr("Enter saves its address.") if web.search == "searxng" else tr("Save its key first.")
        set_off(self._try, "" if ready else first)
        say(self._tried, "" if ready else first)

    def _add_try(self) -> None:
        self._try = push_button(tr("Search once"), f"{_NAME}_try", self.contents)
        self._try.clicked.connect(self._on_try)
        self._tried = plain_label(self.contents, "muted", f"{_NAME}_tried")
        self._trying = Field("", f"{_NAME}_trying", self.contents)
        self._trying.row.addWidget(self._try)
        self._trying.row.addWidget(self._tried, 1)
        self.column.addWidget(self._trying)

    def _change(self, field: Field, **values: object) -> None:
        self._saver.change(field, web=self._saver.settings.web.model_dump() | values)

    def _on_keys(self, update: SearchKeysChanged) -> None:
        self._keyed = update.services
        for name, field in self._keys.items():
            field.show_kept(name in update.services, update.keyring_problem)
        self.refresh()

    def _on_try(self) -> None:
        say(self._tried, TRYING)
        set_off(self._try, UNDER_WAY)
        command = TrySearch(settings=self._saver.settings.web)
        self._requests.ask(command, self, answer(SearchTried, self._on_tried), failed=self._on_failed)

    def _on_tried(self, update: SearchTried) -> None:
        set_off(self._try, "")
        say(self._tried, display_text(update.text))

    def _on_failed(self, failed: CommandFailed) -> None:
        set_off(self._try, "")
        say(self._tried, display_text(failed.text))


def _hosts(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.replace(";", ",").split(",") if part.strip())
