"""A small scanner for names, numbers and signs."""

from __future__ import annotations


class BadCharacter(Exception):
    pass


def kind(char: str) -> str:
    if "0" <= char <= "9":
        return "digit"
    if "a" <= char <= "z" or char == "_":
        return "letter"
    if char == " ":
        return "space"
    if char in "+-*/()":
        return "sign"
    raise BadCharacter()


def tokens(text: str) -> list[str]:
    """The words and signs of the text, in order."""
    found: list[str] = []
    place = 0
    while place < len(text):
        start = place
        group = kind(text[place])
        place += 1
        if group == "letter" or group == "digit":
            while place < len(text) and kind(text[place]) == group:
                place += 1
        if group != "space":
            found.append(text[start:place])
    return found


def split_assignment(line: str) -> tuple[str, str]:
    """`name=value` as a pair, with blanks around the sign removed."""
    place = line.find("=")
    if place < 0:
        raise ValueError("no assignment")
    name = line[:place].strip()
    if name == "":
        raise ValueError("no name")
    return name, line[place + 1 :].strip()
