"""Why a value is not valid, in words for the person who typed it."""

from pydantic import ValidationError

from desktop.language import number, said, tr

_WORDS = {
    "string_too_short": tr("This cannot be empty."),
    "string_too_long": tr("At most {max_length} characters."),
    "greater_than_equal": tr("At least {least}."),
    "less_than_equal": tr("At most {most}."),
    "int_parsing": tr("Give a whole number."),
    "int_type": tr("Give a whole number."),
    "int_parsing_size": tr("This number is too large."),
    "int_from_float": tr("Give a whole number."),
    "string_pattern_mismatch": tr("Small letters, digits, - and _ only, at most 40; the first is a letter or a digit."),
}


def reason(error: ValidationError) -> str:
    """The first thing that is wrong, as a sentence."""
    first = error.errors(include_url=False, include_input=False)[0]
    context = first.get("ctx", {})
    if first["type"] == "value_error":
        words = str(context["error"]).strip()
        return said(f"{words[:1].upper()}{words[1:]}".rstrip(".") + ".")
    known = _WORDS.get(first["type"])
    if known is None:
        return f"{first['msg']}."
    bounds = {name: number(context[key]) for key, name in (("ge", "least"), ("le", "most")) if key in context}
    return known.format(**context | bounds)
