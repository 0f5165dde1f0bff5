"""ABS as one of the languages: actors that send each other messages, explored in every order."""

from __future__ import annotations


class Abs:
    """Programs in ABS."""

    name = "ABS"
    code = "an ABS program"
    formats: tuple[str, ...] = ("abs", "json")
    settings = frozenset(
        "switches actors queue order policy apet poll every_order spare_actor input_errors bound_concrete"
        " bound_references oldest_first static_independence".split()
    )

    def claims(self, target: str) -> bool:
        """ABS files have a suffix of their own."""
        return target.partition("::")[0].endswith(".abs")

    def start_early(self) -> None:
        """Cases run on the interpreter in this process."""
