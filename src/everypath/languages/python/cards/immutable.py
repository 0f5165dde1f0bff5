"""Numbers, identifiers and other small values of the library that never change."""

from __future__ import annotations

from everypath.languages.python.cards.card import HostCard, never

CARDS = (
    HostCard("decimal.Decimal", by_attributes=True, numbers=("Number",)),
    HostCard("fractions.Fraction", numbers=("Number", "Complex", "Real", "Rational")),
    HostCard("uuid.UUID", by_attributes=True),
    HostCard("complex", repr),
    HostCard("types.MappingProxyType", expression=never, is_input=False, called=False),
)
