"""Numbers, identifiers and other small values of the library that never change."""

from __future__ import annotations

from everypath.languages.python.cards.card import HostCard, never

CARDS = (
    HostCard("decimal.Decimal", by_attributes=True, read={"": str}, numbers=("Number",)),
    HostCard("fractions.Fraction", read={"": str}, numbers=("Number", "Complex", "Real", "Rational")),
    HostCard("uuid.UUID", by_attributes=True, read={"": str}),
    HostCard("complex", repr),
    HostCard("types.MappingProxyType", expression=never, is_input=False, called=False),
)
