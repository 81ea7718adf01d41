"""Appearance: theme, zoom, density, reading width and fonts, all taken at once."""

from PySide6.QtWidgets import QWidget

from desktop.domain.display.text import display_text
from desktop.language import LANGUAGES, tr
from desktop.ui.settings.fields import ChoiceField, Field, PickField, TextField
from desktop.ui.settings.page import SettingsPage
from desktop.ui.settings.saver import SettingsSaver
from desktop.ui.text.places import short_path
from desktop.ui.theme.fonts import families
from desktop.ui.theme.theme import theme
from desktop.ui.theme.theme_files import own_folder, theme_files
from desktop.ui.widgets.buttons.icon_button import IconButton
from desktop.ui.widgets.buttons.off import set_off
from desktop.ui.widgets.pick_list import PickItem

_STEP, _LEAST, _MOST = 10, 80, 200
_ZOOM_WIDTH = 72
_USUAL = "system:"
_DENSITIES = [("comfortable", tr("Comfortable")), ("compact", tr("Compact"))]
_DENSE = tr("Compact rows of chats and lists are lower, so that more of them is on screen.")
_READING = [("narrow", tr("Narrow")), ("usual", tr("Usual")), ("wide", tr("Wide")), ("full", tr("Whole width"))]
_READS = tr("How wide the messages of a chat become where there is room.")
_TEXT_SAYS = tr("11 to 16 pixels at 100 % zoom.")
_LANGUAGE_SAYS = tr("Used from the next start on. What agents read and what is recorded stays English.")
_CODE_SAYS = tr("Up to 18 pixels; blank or 0: nearly as large as the text.")


class AppearancePage(SettingsPage):
    """Theme, sizes and fonts. The window follows the settings, so it shows what was chosen as soon as it is valid."""

    name, title, icon = "appearance", tr("Appearance"), "palette"

    def __init__(self, saver: SettingsSaver, parent: QWidget) -> None:
        super().__init__(parent)
        self._saver = saver
        self._taken = saver.settings.appearance
        found = theme_files()
        files = [one for one in found if one.tokens is not None]
        self._theme = ChoiceField(
            tr("Theme"),
            "settings_appearance_theme",
            [("system", tr("System")), ("light", tr("Light")), ("dark", tr("Dark"))],
            self.contents,
        )
        problems = [one.problem for one in found if one.problem]
        self._other = PickField(
            tr("Another look"),
            "settings_appearance_other",
            self.contents,
            " ".join(problems) or tr("More can be put as files into {folder}.", folder=short_path(str(own_folder()))),
        )
        self._others = [PickItem("system", tr("None of these")), *(PickItem(one.name, one.label) for one in files)]
        self._zoom = TextField(
            tr("Text zoom"),
            "settings_appearance_zoom",
            self.contents,
            tr("{least} to {most} percent of everything.", least=_LEAST, most=_MOST),
        )
        self._zoom.edit.setMaximumWidth(theme().px(_ZOOM_WIDTH))
        self._less = IconButton("minus", tr("Smaller"), self._zoom)
        self._less.setObjectName("settings_appearance_zoom_less")
        self._more = IconButton("plus", tr("Larger"), self._zoom)
        self._more.setObjectName("settings_appearance_zoom_more")
        self._zoom.row.insertWidget(0, self._less)
        self._zoom.row.addWidget(self._more)
        self._zoom.row.addStretch(1)
        self._density = ChoiceField(tr("Density"), "settings_appearance_density", _DENSITIES, self.contents, _DENSE)
        self._reading = ChoiceField(tr("Reading width"), "settings_appearance_reading", _READING, self.contents, _READS)
        self._text_font = PickField(tr("Text font"), "settings_appearance_text_font", self.contents)
        self._text_size = self._size_field(tr("Text size"), "settings_appearance_text_size", _TEXT_SAYS)
        self._code_font = PickField(tr("Code font"), "settings_appearance_code_font", self.contents)
        self._code_size = self._size_field(tr("Code size"), "settings_appearance_code_size", _CODE_SAYS)
        self._fonts = [PickItem(_USUAL, tr("The system's own")), *(PickItem(one, one) for one in families(fixed=False))]
        self._fixed = [PickItem(_USUAL, tr("The system's own")), *(PickItem(one, one) for one in families(fixed=True))]
        spoken = [("system", tr("System")), *LANGUAGES.items()]
        self._language = ChoiceField(
            tr("Language"), "settings_appearance_language", spoken, self.contents, _LANGUAGE_SAYS
        )
        for field in (self._theme, self._other, self._language, self._zoom, self._density, self._reading):
            self.column.addWidget(field)
        for field in (self._text_font, self._text_size, self._code_font, self._code_size):
            self.column.addWidget(field)
        self._language.chosen.connect(lambda code: self._change(self._language, language=code))
        self._density.chosen.connect(lambda key: self._change(self._density, density=key))
        self._reading.chosen.connect(lambda key: self._change(self._reading, reading=key))
        self._text_font.chosen.connect(lambda key: self._change(self._text_font, text_font=key.removeprefix(_USUAL)))
        self._code_font.chosen.connect(lambda key: self._change(self._code_font, code_font=key.removeprefix(_USUAL)))
        self._text_size.entered.connect(lambda text: self._change(self._text_size, text_size=text.strip()))
        self._code_size.entered.connect(lambda text: self._change(self._code_size, code_size=text.strip() or 0))
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
            theme().wear(look)
        self._theme.set_value(look.theme)
        named = look.theme in {one.key for one in self._others}
        self._other.show_choices(self._others, look.theme if named else "system")
        self._language.set_value(look.language)
        self._zoom.set_value(f"{look.zoom} %")
        self._density.set_value(look.density)
        self._reading.set_value(look.reading)
        for field, items, font in (
            (self._text_font, self._fonts, look.text_font),
            (self._code_font, self._fixed, look.code_font),
        ):
            gone = font and font not in {item.key for item in items}
            shown = [*items, PickItem(font, tr("{font} (not here)", font=display_text(font)))] if gone else items
            field.show_choices(shown, font or _USUAL)
        self._text_size.set_value(str(look.text_size))
        self._code_size.set_value(str(look.code_size) if look.code_size else "")
        set_off(self._less, "" if look.zoom > _LEAST else tr("{least} % is the least.", least=_LEAST))
        set_off(self._more, "" if look.zoom < _MOST else tr("{most} % is the most.", most=_MOST))

    def _size_field(self, label: str, name: str, says: str) -> TextField:
        field = TextField(label, name, self.contents, says)
        field.keep_narrow(_ZOOM_WIDTH)
        return field

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
