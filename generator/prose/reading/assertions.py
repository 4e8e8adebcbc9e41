"""Whether prose asserts what it says, or denies, supposes, reports, asks or quotes it.

A check that reads sentences must not hold a record to what the record warns of. So a word of doubt is enough for
silence: a missed mistake costs less than a false accusation.
"""

from __future__ import annotations

import re

from generator.prose.reading.sentences import sentence_at

_DENIED = r"not?|never|nor|neither|none|nothing|nowhere|cannot|without|instead|unlike|rather|hardly|\w+n['’]t"
_SUPPOSED = (
    r"if|unless|whether|would|could|might|may|should|were|perhaps|maybe|possibly|suppos\w+|assum\w+|imagin\w+|"
    r"hypothetical\w*|as\s+though|seem\w*|appears?|looks?\s+(?:like|as)|tempt\w+|"
    r"for\s+(?:example|instance)|e\.g|checks?|ensur\w+|validat\w+|verif\w+"
)
_REPORTED = (
    r"said|says?|calls?|called|calling|claim(?:s|ed|ing)?|label(?:s|l?ed|l?ing)|treat(?:s|ed|ing)?|"
    r"tak(?:es?|en|ing)\s+(?:\w+\s+)?(?:for|as)|listed|counted|quot(?:es?|ed|ing)|read(?:s|ing|ings)?|misread\w*|"
    r"mistak\w+|thought|believed?|presented|described|advertised|wrong\w*|false\w*|incorrect\w*|trap|myth|error|"
    r"confus\w+|misleading|misnomer|formerly|earlier|previously|used\s+to|no\s+longer|according\s+to"
)
_DOUBT = re.compile(rf"(?<![\w-])(?:{_DENIED}|{_SUPPOSED}|{_REPORTED})(?![\w-])", re.I)
_CLAUSE_ENDS = re.compile(r"[.;:]|,\s+(?:which|and|but|so|while|whereas|since|because|as|where)\b|\bbut\b")


def doubted(words: str) -> bool:
    """Whether some words deny, suppose or report what stands beside them."""
    return bool(_DOUBT.search(words))


def asserted(text: str, start: int, end: int) -> bool:
    """Whether characters `start` to `end` of a text are said outright.

    Doubt counts anywhere before them in their sentence, and behind them as far as their clause goes ("FAMILY=mla is
    the trap").

    >>> asserted("FAMILY=mla, and no other.", 0, 10), asserted("It is not FAMILY=mla.", 10, 20)
    (True, False)
    """
    begin, stop = sentence_at(text, start)
    before, rest = text[begin:start], text[min(end, stop) : stop]
    clause = _CLAUSE_ENDS.search(rest)
    behind = rest[: clause.start()] if clause else rest
    quoted = before.count('"') % 2 == 1 or before.count("“") > before.count("”")
    return not (quoted or rest.rstrip().endswith("?") or doubted(before) or doubted(behind))
