"""Addresses and networks of `ipaddress`."""

from __future__ import annotations

from everypath.languages.python.cards.card import HostCard

CARDS = tuple(
    HostCard(f"ipaddress.IPv{version}{kind}", read={"": str})
    for version in (4, 6)
    for kind in ("Address", "Network", "Interface")
)
