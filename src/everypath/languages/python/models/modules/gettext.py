"""Our version of `gettext`: without a catalogue of translations, messages stay as they are; compiled, never imported."""

# mypy: ignore-errors


def gettext(message):
    return message


def ngettext(msgid1, msgid2, n):
    if n == 1:
        return msgid1
    return msgid2


def pgettext(context, message):
    return message


def npgettext(context, msgid1, msgid2, n):
    if n == 1:
        return msgid1
    return msgid2


def dgettext(domain, message):
    return message


def dngettext(domain, msgid1, msgid2, n):
    if n == 1:
        return msgid1
    return msgid2
