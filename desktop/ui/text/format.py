"""The words for figures: durations, ages, clock times, sizes, tokens, money and plurals."""

from datetime import datetime, timedelta

from desktop.language import day_words, number, separated, tr, trn

MINUS = "−"
_SECOND, _MINUTE, _HOUR = 1_000, 60_000, 3_600_000


def duration(ms: int) -> str:
    """A length of time from milliseconds: "21 ms", "3.1 s", "2 min 14 s", "1 h 05 min". Negative counts as 0."""
    ms = max(0, ms)
    if ms < _SECOND:
        return f"{ms} ms"
    if ms < 59_950:
        return separated(f"{ms / _SECOND:.1f}") + " s" if ms % _SECOND >= 50 or ms < 10_000 else f"{ms // _SECOND} s"
    seconds = round(ms / _SECOND)
    if seconds < 3600:
        minutes, rest = divmod(seconds, 60)
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, rest = divmod(seconds, 3600)
    return f"{hours} h {rest // 60:02d} min"


def age(then: datetime, now: datetime) -> str:
    """The time between two aware times in words: "just now", "2 min", "3 h", "yesterday", a weekday within 6 days, else
    the local date.

    A `then` in the future (a clock that jumped back) reads "just now".
    """
    passed = now - then
    if passed < timedelta(minutes=1):
        return tr("just now")
    if passed < timedelta(hours=1):
        return f"{int(passed.total_seconds()) // 60} min"
    local_then, local_now = then.astimezone(), now.astimezone()
    days = (local_now.date() - local_then.date()).days
    if days == 0 or passed < timedelta(hours=12):
        return f"{int(passed.total_seconds()) // 3600} h"
    if days == 1:
        return tr("yesterday")
    return _weekday(local_then.weekday()) if days <= 6 else local_date(then)


def ago(then: datetime, now: datetime) -> str:
    """When it was, standing alone: "2 min ago", "just now", "yesterday"."""
    words = age(then, now)
    return tr("{age} ago", age=words) if words.endswith((" min", " h")) else words


def interrupted_since(then: datetime, now: datetime) -> str:
    """When something was cut off: "Interrupted 3 h ago", "Interrupted just now", "Interrupted yesterday"."""
    passed = age(then, now)
    if passed.endswith((" min", " h")):
        return tr("Interrupted {time} ago", time=passed)
    near = passed in (tr("just now"), tr("yesterday"))
    return tr("Interrupted {day}", day=passed) if near else tr("Interrupted on {day}", day=passed)


def waiting_since(then: datetime, now: datetime) -> str:
    """Since when something waits: "Waiting for 2 min", "Asked just now", "Waiting since yesterday"."""
    passed = age(then, now)
    if passed == tr("just now"):
        return tr("Asked just now")
    if passed.endswith((" min", " h")):
        return tr("Waiting for {time}", time=passed)
    return tr("Waiting since {day}", day=passed)


def _weekday(day: int) -> str:
    return (tr("Mon"), tr("Tue"), tr("Wed"), tr("Thu"), tr("Fri"), tr("Sat"), tr("Sun"))[day]


def clock_time(at: datetime) -> str:
    """The local time of day, "14:02"."""
    return f"{at.astimezone():%H:%M}"


def local_date(at: datetime) -> str:
    """The local date, "21 Nov 2026"."""
    return day_words(at.astimezone().date())


def day_and_time(at: datetime, now: datetime) -> str:
    """The local day and time of day: "today 14:02", "yesterday 14:02", else "21 Nov 2026 14:02"."""
    days = (now.astimezone().date() - at.astimezone().date()).days
    day = {0: tr("today"), 1: tr("yesterday")}.get(days) or local_date(at)
    return f"{day} {clock_time(at)}"


def full_time(at: datetime) -> str:
    """Date, time and zone for tooltips, "21 Nov 2026 14:02:05 CET"."""
    local = at.astimezone()
    return f"{local_date(at)} {local:%H:%M:%S} {local.tzname() or ''}".rstrip()


def price(input_microusd: int | None, output_microusd: int | None) -> str:
    """What a million tokens cost that a model reads and writes: "$3 in, $15 out per 1M"; "" where nobody knows."""
    if input_microusd is None or output_microusd is None:
        return ""
    return tr("{input} in, {output} out per 1M", input=dollars(input_microusd), output=dollars(output_microusd))


def dollars(microusd: int) -> str:
    """A price from millionths of a dollar, without zeros at its end: "$3", "$0.25"."""
    return "$" + separated(f"{microusd / 1_000_000:.6f}".rstrip("0").rstrip("."))


def tokens(n: int) -> str:
    """A token count: 999, 1.2k, 18.2k, 142k, 1.25M."""
    if n < 1_000:
        return str(n)
    if n < 99_950:
        return separated(f"{n / 1_000:.1f}".removesuffix(".0")) + "k"
    if n < 999_500:
        return f"{n / 1_000:.0f}k"
    return separated(f"{n / 1_000_000:.2f}".rstrip("0").rstrip(".")) + "M"


def size(n: int) -> str:
    """A number of bytes, base 1,000: "812 B", "1.2 KB", "40 MB", "2.1 GB"."""
    if n < 1_000:
        return f"{n} B"
    value = float(n)
    for unit in ("KB", "MB", "GB"):
        value /= 1_000
        if value < 999.5 or unit == "GB":
            break
    return separated(f"{value:.1f}".removesuffix(".0") if value < 99.95 else f"{value:,.0f}") + f" {unit}"


def money(microusd: int | None) -> str:
    """A cost from millionths of a dollar: "$0.21", below one cent "$0.0042"; None reads "cost unknown"."""
    if microusd is None:
        return tr("cost unknown")
    if 0 < microusd < 10_000:
        return "$" + separated(f"{max(microusd, 100) / 1_000_000:.4f}")
    return "$" + separated(f"{microusd / 1_000_000:,.2f}")


def count(n: int, one: str, many: str = "") -> str:
    """A number with its noun: "1 file", "2 files"; `many` where adding s is wrong. In the texts of a language it is
    "{n} files"."""
    return trn(n, f"{{n}} {one}", f"{{n}} {many or one + 's'}")


def changed_lines(added: int, removed: int) -> str:
    """Lines added and removed, zero parts left out: "+6 −2", "" when nothing changed."""
    parts = [f"+{number(added)}"] if added else []
    if removed:
        parts.append(f"{MINUS}{number(removed)}")
    return " ".join(parts)
