"""Names of paths and conditions in the words of Java."""

from __future__ import annotations

import re

from everypath.cases.spelling import Spelling

JAVA = Spelling(
    nothing="null",
    yes="true",
    no="false",
    receiver="this",
    conjunction="&&",
    disjunction="||",
    negation="!",
    conditional="{test} ? {then} : {otherwise}",
    calls={
        "len": "{0}.length",
        "ord": "{0}",
        "isinstance": "{0} instanceof {1}",
        "truncdiv": "{0} / {1}",
        "truncrem": "{0} % {1}",
        "abs": "Math.abs({0})",
        "sqrt": "Math.sqrt({0})",
        "str": "String.valueOf({0})",
        "int": "(int) {0}",
        "float": "(double) {0}",
        "chr": "(char) {0}",
        "isnan": "Double.isNaN({0})",
        "isinf": "Double.isInfinite({0})",
        ".startswith": "{0}.startsWith({1})",
        ".endswith": "{0}.endsWith({1})",
    },
    operators={"//": "Math.floorDiv({0}, {1})", "%": "Math.floorMod({0}, {1})", "in": "{1}.contains({0})"},
)
"""How conditions over the inputs are written in Java."""


def java_words(text: str, *, procedure: bool = False) -> str:
    """The name of a path: null and throws; a method without a result returns nothing special."""
    text = re.sub(r"\bthis (?=\w)", "", re.sub(r"\bnone\b", "null", text))
    text = re.sub(r"\braises\b", "throws", text)
    return re.sub(r" ?\breturns null$", "", text).strip() if procedure else text.strip()
