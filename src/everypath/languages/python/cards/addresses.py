"""Addresses and networks of `ipaddress`."""

from __future__ import annotations

from everypath.languages.python.cards.card import HostCard


def _card(name: str, *samples: str) -> HostCard:
    return HostCard(f"ipaddress.{name}", tuple(f'{name}("{sample}")' for sample in samples))


CARDS = (
    # One of a private network, the machine itself, a public one, and all zeros.
    _card("IPv4Address", "192.168.0.1", "127.0.0.1", "8.8.8.8", "0.0.0.0"),
    _card("IPv4Network", "192.168.0.0/30", "127.0.0.0/29", "8.8.8.8/32"),
    _card("IPv4Interface", "192.168.0.1/24", "127.0.0.1/8"),
    _card("IPv6Address", "2001:db8::1", "::1", "fe80::1", "::"),
    _card("IPv6Network", "2001:db8::/126", "::1/128"),
    _card("IPv6Interface", "2001:db8::1/32", "::1/128"),
)
