"""DatabaseConnection: a database that a person lets agents query. Its password is in the keyring, never here."""

from pathlib import PurePath
from typing import Literal, Self

from pydantic import Field, model_validator

from desktop.domain.core.base import Frozen

Dialect = Literal["sqlite", "postgres", "mysql", "mariadb"]
USUAL_PORTS: dict[Dialect, int] = {"sqlite": 0, "postgres": 5432, "mysql": 3306, "mariadb": 3306}


class DatabaseConnection(Frozen):
    """One connection, named by the person (tools-T88).

    sqlite has a `path`: whole, or relative to the lane of each chat. The others have `host` (postgres: a socket folder
    too), `port` (0: the usual one), `database` and `user`. `read_only`: writes are refused before anybody is asked.
    `enabled_projects`: whole paths of repositories; none means all.
    """

    name: str = Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,39}$")
    dialect: Dialect
    path: str = Field(default="", max_length=4096)
    host: str = Field(default="", max_length=255)
    port: int = Field(default=0, ge=0, le=65535)
    database: str = Field(default="", max_length=128)
    user: str = Field(default="", max_length=128)
    read_only: bool = False
    production: bool = False
    time_limit_s: int = Field(default=30, ge=1, le=600)
    enabled_projects: tuple[str, ...] = ()

    @model_validator(mode="after")
    def _has_a_target(self) -> Self:
        problem = self._problem()
        if problem:
            raise ValueError(problem)
        return self

    def _problem(self) -> str:
        texts = (self.path, self.host, self.database, self.user)
        if any(not text.isprintable() for text in texts):
            return "A target holds no line breaks or control characters."
        if self.dialect == "sqlite":
            if not self.path.strip():
                return "Give the file of the SQLite database."
            return "Give a file: a memory database has nothing in it." if self.path.strip() == ":memory:" else ""
        if not (self.host.strip() and self.database.strip() and self.user.strip()):
            return "Give the host, the database and the user."
        return "Give only the host's name: no user, port or address." if set(self.host) & set("@ ?#") else ""

    @property
    def in_lane(self) -> bool:
        """Whether each lane has a database of its own: a file named relative to the lane."""
        return self.dialect == "sqlite" and not PurePath(self.path).is_absolute()

    @property
    def server_port(self) -> int:
        """The port to connect to."""
        return self.port or USUAL_PORTS[self.dialect]

    @property
    def target(self) -> str:
        """The place of the database, for people: the file, or user, host, port and database."""
        if self.dialect == "sqlite":
            return self.path
        return f"{self.user}@{self.host}:{self.server_port}/{self.database}"

    @property
    def identity(self) -> str:
        """The text that tells this database from others, whatever it is called."""
        return f"{self.dialect} {self.password_target}"

    @property
    def password_target(self) -> str:
        """The text that a password is bound to, which no other user, host, port and database share. It is `target`,
        unless signs in a name let that text be read in two ways."""
        if "@" in self.user or set(self.database) & set("@:/"):
            return "\n".join((self.user, self.host, str(self.server_port), self.database))
        return self.target

    def enabled_for(self, project: str) -> bool:
        """Whether chats of the repository at that path may use it."""
        return not self.enabled_projects or project in self.enabled_projects
