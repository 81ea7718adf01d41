"""Appearance: theme and zoom, both taken at once."""

from PySide6.QtWidgets import QWidget

from desktop.ui.settings.fields import ChoiceField, Field, PickField, TextField
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.theme.theme import theme
from desktop.ui.theme.theme_files import own_folder, theme_files
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.pick_list import PickItem

_STEP, _LEAST, _MOST = 10, 80, 200
_ZOOM_WIDTH = 72


class AppearancePage(SettingsPage):
    """Theme and zoom. The window follows the settings, so it shows what was chosen as soon as it is valid."""

    name, title, icon = "appearance", "Appearance", "palette"

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver = saver
        self._taken = saver.settings.appearance
        found = theme_files()
        files = [one for one in found if one.tokens is not None]
        self._theme = ChoiceField(
            "Theme",
            "settings_appearance_theme",
            [("system", "System"), ("light", "Light"), ("dark", "Dark")],
            self.contents,
        )
        problems = [one.problem for one in found if one.problem]
        self._other = PickField(
            "Another look",
            "settings_appearance_other",
            self.contents,
            " ".join(problems) or f"More can be put as files into {own_folder()}.",
        )
        self._others = [PickItem("system", "None of these"), *(PickItem(one.name, one.label) for one in files)]
        self._zoom = TextField(
            "Text zoom", "settings_appearance_zoom", self.contents, f"{_LEAST} to {_MOST} percent of everything."
        )
        self._zoom.edit.setMaximumWidth(theme().px(_ZOOM_WIDTH))
        self._less = IconButton("minus", "Smaller", self._zoom)
        self._less.setObjectName("settings_appearance_zoom_less")
        self._more = IconButton("plus", "Larger", self._zoom)
        self._more.setObjectName("settings_appearance_zoom_more")
        self._zoom.row.insertWidget(0, self._less)
        self._zoom.row.addWidget(self._more)
        self._zoom.row.addStretch(1)
        for field in (self._theme, self._other, self._zoom):
            self.column.addWidget(field)
        self._theme.chosen.connect(self._on_theme)
        self._other.chosen.connect(self._on_theme)
        self._zoom.entered.connect(self._on_zoom)
        self._less.clicked.connect(self._smaller)
        self._more.clicked.connect(self._larger)
        saver.changed.connect(self.refresh)
        self.refresh()

    def refresh(self) -> None:
        """Show the settings, and take the look they ask for."""
        look = self._saver.settings.appearance
        if look != self._taken:
            self._taken = look
            theme().choose(look.theme, look.zoom)
        self._theme.set_value(look.theme)
        named = look.theme in {one.key for one in self._others}
        self._other.show_choices(self._others, look.theme if named else "system")
        self._zoom.set_value(f"{look.zoom} %")
        set_off(self._less, "" if look.zoom > _LEAST else f"{_LEAST} % is the least.")
        set_off(self._more, "" if look.zoom < _MOST else f"{_MOST} % is the most.")

    def _on_theme(self, name: str) -> None:
        self._change(self._theme, theme=name)

    def _on_zoom(self, text: str) -> None:
        self._change(self._zoom, zoom=text.strip().removesuffix("%").strip())

    def _smaller(self) -> None:
        self._step(-_STEP)

    def _larger(self) -> None:
        self._step(_STEP)

    def _step(self, step: int) -> None:
        self._zoom.discard()
        zoom = self._saver.settings.appearance.zoom + step
        self._change(self._zoom, zoom=min(max(zoom, _LEAST), _MOST))

    def _change(self, field: Field, **values: str | int) -> None:
        look = self._saver.settings.appearance
        self._saver.change(field, appearance=look.model_dump() | values)
