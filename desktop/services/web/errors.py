"""WebError: why nothing usable came from the web."""

from desktop.domain.core.errors import BanksmanError


class WebError(BanksmanError):
    """Nothing usable came back; the text says what was asked and why. `status`: what the server answered, 0 for
    nothing. `foreign`: the text holds words of the server: a place that it names, a type that it claims."""

    def __init__(self, text: str, *, status: int = 0, foreign: bool = False) -> None:
        super().__init__(text)
        self.status = status
        self.foreign = foreign
