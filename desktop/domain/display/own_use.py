"""Characters without a look of their own that belong to what people write: where in a prose text they stand.

Joiners and selectors of emoji and of scripts that use them, blanks of typography, accents on plain letters. Controls of
the writing direction never belong to a text here, whatever stands around them.
"""

from desktop.patterns import Pattern

# Unicode: emoji-data.txt (Extended_Pictographic), StandardizedVariants.txt, IndicSyllabicCategory.txt (viramas).
_PICTURE = (
    "[\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u2199\u21a9\u21aa\u231a\u231b\u2328\u23cf\u23e9-\u23f3\u23f8-\u23fa"
    "\u24c2\u25aa\u25ab\u25b6\u25c0\u25fb-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b07\u2b1b\u2b1c\u2b50\u2b55\u3030"
    "\u303d\u3297\u3299\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_EMOJI = f"{_PICTURE}(?:[\ufe0e\ufe0f]|[\U0001f3fb-\U0001f3ff]\ufe0f?)?"
_FLAGS = "|".join("".join(chr(0xE0000 + ord(char)) for char in code) for code in ("gbeng", "gbsct", "gbwls"))
"""England, Scotland, Wales: the only flags of tags that fonts draw. Others would hide what their tags spell."""
_IDEOGRAPH = "[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003fffd]"
_EAST_ASIAN = (
    "[\u2e80-\u2fdf\u3001-\u312f\u3131-\u3163\u3165-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff\uff01-\uff9f]"
)
_ARABIC = "[\u0620-\u065f\u066e-\u06d3\u06d5\u06e5\u06e6\u06ee-\u06ff\u0750-\u077f\u0870-\u0887\u08a0-\u08e1]"
_JOINED = (
    "[\u0620-\u065f\u066e-\u06d3\u06d5\u06e5\u06e6\u06ee-\u06ff\u0710-\u074f\u0750-\u077f\u07ca-\u07ea\u0840-\u0858"
    "\u0870-\u0887\u08a0-\u08e1\u1820-\u1878\u1880-\u18aa\ua840-\ua871\U0001e900-\U0001e94b]"
)
_STACKED = (
    "[\u0900-\u0dff\u0f40-\u0fbc\u1000-\u109f\u1780-\u17b3\u17b6-\u17d3\u1a20-\u1a7c\u1b00-\u1bff\ua8e0-\ua8ff"
    "\uabc0-\uabed]"
)
_VIRAMA = (
    "[\u094d\u09cd\u0a4d\u0acd\u0b4d\u0bcd\u0c4d\u0ccd\u0d4d\u0dca\u1039\u103a\u17d2\u1b44\ua8c4\ua953\ua9c0\uabed]"
)
_UNSPACED = "[\u0e01-\u0e5b\u0e81-\u0edf\u0f00-\u0fda\u1000-\u109f\u1780-\u17b3\u17b6-\u17f9\u1a20-\u1aad\uaa60-\uaa7f]"
"""Scripts without blanks between words, in which a blank of no width says where a line may be broken."""
_MONGOLIAN = "[\u1820-\u1878\u1880-\u18aa]"

_OWN_USE = Pattern(
    "|".join(
        (
            r"[0-9#*]\ufe0f?\u20e3",
            rf"\U0001f3f4(?:{_FLAGS})\U000e007f",
            rf"{_EMOJI}(?:\u200d{_EMOJI})*",
            rf"(?<={_IDEOGRAPH})[\ufe00-\ufe02\U000e0100-\U000e01ef]",
            rf"(?<={_MONGOLIAN})(?:[\u180b-\u180d\u180f]\u180e?|\u180e)",
            rf"(?<={_VIRAMA})[\u200c\u200d](?![\u200c\u200d])",
            rf"(?<={_JOINED})[\u200c\u200d](?={_JOINED})",
            rf"(?<={_STACKED})[\u200c\u200d](?={_STACKED})",
            rf"(?<=[^\W_])\u200c(?={_ARABIC})",
            rf"(?<={_ARABIC})\u200d(?![\u200c\u200d\w])",
            rf"(?<={_UNSPACED})\u200b(?={_UNSPACED})",
            r"[\u0600-\u0605\u06dd](?=\d)",
            r"(?<=[^\s\u200b-\u200f])[\u00a0\u2007\u2009\u202f](?=[^\s\u200b-\u200f])",
            rf"(?:^|(?<=\n)|(?<={_EAST_ASIAN}))\u3000{{1,4}}(?!\u3000)|(?<!\u3000)\u3000{{1,4}}(?={_EAST_ASIAN})",
            r"(?<=[A-Za-z])[\u0300-\u0333\u0339-\u034e\u0350-\u036f]{1,2}",
        )
    )
)
_AUTHORITY = Pattern(r"://[^\s/?#\u3001\u3002\uff01-\uff0f\uff1a-\uff1f\u201d]*")
_RARE = Pattern(
    "[^\x00-\x7f\u00a1-\u00ac\u00ae-\u02ff\u0370-\u058f\u05d0-\u05ea\u0621-\u063a\u4e00-\u9fff\uac00-\ud7a3]"
)
NOTHING: frozenset[int] = frozenset()


def own_use(text: str) -> frozenset[int]:
    """The places of a prose text whose characters belong to what stands around them, although alone they would not be
    seen: they are drawn as they are. The places of emoji are among them, those that are newer than this program too.
    In the host of an address nothing is."""
    if text.isascii() or _RARE.search(text) is None:
        return NOTHING
    found = frozenset(place for match in _OWN_USE.finditer(text) for place in range(*match.span()))
    if found and "://" in text:
        found -= {place for match in _AUTHORITY.finditer(text) for place in range(*match.span())}
    return found
