"""Numbers, identifiers and other small values of the library that never change."""

from __future__ import annotations

from everypath.languages.python.cards.card import HostCard, never

CARDS = (
    HostCard(
        "decimal.Decimal",
        tuple(f'Decimal("{number}")' for number in ("1", "0", "-1.5", "0.05", "123.456", "1E+6")),
        by_attributes=True,
        numbers=("Number",),
    ),
    HostCard(
        "fractions.Fraction",
        ("Fraction(1, 2)", "Fraction(0)", "Fraction(3)", "Fraction(-2, 3)"),
        numbers=("Number", "Complex", "Real", "Rational"),
    ),
    HostCard(
        "uuid.UUID",
        ('UUID("12345678-1234-5678-1234-567812345678")', 'UUID("00000000-0000-0000-0000-000000000000")'),
        by_attributes=True,
    ),
    HostCard("complex", ("complex(1, 2)", "complex(0, 0)", "complex(-0.5, 0)"), repr),
    HostCard("types.MappingProxyType", expression=never, called=False),
)
