"""TargetFields: where a database is: a file, or host, port, database and user."""

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QFileDialog, QVBoxLayout, QWidget

from desktop.config.databases import USUAL_PORTS, DatabaseConnection, Dialect
from desktop.language import tr
from desktop.ui.settings.fields import TextField
from desktop.ui.theme.tokens import SPACE_3
from desktop.ui.widgets.buttons.push_button import push_button
from desktop.ui.widgets.layouts.gaps import set_gaps

DIALECTS: dict[Dialect, str] = {
    "sqlite": "SQLite",
    "postgres": "PostgreSQL",
    "mysql": "MySQL",
    "mariadb": "MariaDB",
}
_FILE_HELP = tr("A whole path, or one inside the lane: then each lane has a database of its own.")


class TargetFields(QWidget):
    """`entered`: a field was left with another text; it carries the name of the setting and the value."""

    entered = Signal(str, str)

    def __init__(self, name: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.file = TextField(tr("File"), f"{name}_path", self, _FILE_HELP)
        self.fields = {
            "path": self.file,
            "host": TextField(tr("Host"), f"{name}_host", self),
            "port": TextField(tr("Port"), f"{name}_port", self),
            "database": TextField(tr("Database"), f"{name}_database", self),
            "user": TextField(tr("User"), f"{name}_user", self),
        }
        self._choose = push_button(tr("Choose…"), f"{name}_choose", self.file)
        self._choose.setAccessibleName(tr("Choose the file of the database"))
        self._choose.clicked.connect(self._choose_file)
        self.file.row.addWidget(self._choose)
        self.fields["host"].edit.setPlaceholderText("db.example.com")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        set_gaps(layout, spacing=SPACE_3)
        for key, field in self.fields.items():
            layout.addWidget(field)
            field.entered.connect(lambda text, key=key: self.entered.emit(key, text.strip()))

    def show_dialect(self, dialect: Dialect) -> None:
        """Show the fields of this kind of database."""
        for key, field in self.fields.items():
            field.setVisible((key == "path") == (dialect == "sqlite"))
        self.fields["port"].edit.setPlaceholderText(str(USUAL_PORTS[dialect]))

    def show_connection(self, connection: DatabaseConnection) -> None:
        """Show where this one is."""
        self.show_dialect(connection.dialect)
        values = connection.model_dump(include=set(self.fields)) | {"port": connection.port or ""}
        for key, field in self.fields.items():
            field.set_value(str(values[key]))

    def values(self) -> dict[str, str]:
        """What stands in the fields that are shown; a port only if one was typed."""
        shown = {key: field.edit.text().strip() for key, field in self.fields.items() if not field.isHidden()}
        return {key: text for key, text in shown.items() if text or key != "port"}

    def clear(self) -> None:
        """Empty every field."""
        for field in self.fields.values():
            field.edit.clear()
            field.discard()

    def _choose_file(self) -> None:
        dialog = QFileDialog(self, tr("Choose the file of the database"))
        dialog.setObjectName("choose_database_dialog")
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.fileSelected.connect(self._take_file)
        dialog.finished.connect(dialog.deleteLater)
        dialog.open()

    def _take_file(self, path: str) -> None:
        self.file.edit.setText(path)
        self.file.commit()
