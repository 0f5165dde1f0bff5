"""What an emitted test asserts: the result, what has changed, and shortly what the code could have changed."""

from __future__ import annotations

import pytest

from everypath.generate.run import generate
from everypath.options import Options
from tests.rendered import rendered

ACCOUNTS = """
class Account:
    def __init__(self, owner: str, balance: int) -> None:
        self.owner = owner
        self.balance = balance
        self.log: list[int] = []

    def covers(self, amount: int) -> bool:
        return amount <= self.balance

    def deposit(self, amount: int) -> None:
        if amount <= 0:
            raise ValueError("nothing to deposit")
        self.balance += amount

    def note(self, amount: int) -> int:
        found = []
        found.append(amount)
        self.log.append(amount)
        return len(found)

    def set_by_name(self, name: str) -> int:
        setattr(self, "owner", name)
        return 1


def richer(first: Account, second: Account) -> bool:
    return first.balance > second.balance


def total(amounts: list[int]) -> int:
    result = 0
    for amount in amounts:
        result += amount
    return result


def drain(amounts: list[int], keep: bool) -> int:
    if not keep:
        amounts.clear()
    return len(amounts)
"""


@pytest.fixture(scope="module")
def tests(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """The emitted functions by their names."""
    folder = tmp_path_factory.mktemp("observed")
    (folder / "accounts.py").write_text(ACCOUNTS)
    text = rendered(generate([str(folder / "accounts.py")], Options()), "accounts")
    found = ["def " + part.strip() for part in text.split("\ndef ")[1:]]
    return {part.partition("(")[0].removeprefix("def "): part for part in found}


def all_of(tests: dict[str, str], start: str) -> str:
    return "\n".join(text for name, text in tests.items() if name.startswith(start))


def test_what_no_code_can_change_is_not_asserted(tests: dict[str, str]) -> None:
    text = all_of(tests, "test_covers")
    assert text.count("assert ") == text.count(".covers(") > 0
    assert all_of(tests, "test_richer").count("assert ") == all_of(tests, "test_richer").count("def ")


def test_a_call_stands_in_the_only_assertion_about_it(tests: dict[str, str]) -> None:
    assert "assert account.covers(" in all_of(tests, "test_covers")
    assert "result" not in all_of(tests, "test_covers")


def test_a_change_is_asserted_and_other_fields_are_not(tests: dict[str, str]) -> None:
    text = next(text for name, text in tests.items() if name.startswith("test_deposit") and "raises" not in text)
    assert "assert account.balance == " in text
    assert "owner ==" not in text and "result" not in text


def test_what_the_code_could_have_changed_is_asserted(tests: dict[str, str]) -> None:
    text = next(text for name, text in tests.items() if name.startswith("test_deposit") and "raises" in text)
    assert "assert account.balance == " in text


def test_elements_are_told_from_those_of_other_lists(tests: dict[str, str]) -> None:
    text = all_of(tests, "test_note")
    assert "assert account.log == [" in text
    assert "owner ==" not in text and "balance ==" not in text
    assert "amounts ==" not in all_of(tests, "test_total")


def test_a_list_that_could_have_been_changed_is_compared(tests: dict[str, str]) -> None:
    text = all_of(tests, "test_drain")
    assert text.count("assert amounts == ") == text.count("def ") == 2


def test_attributes_set_by_name_count(tests: dict[str, str]) -> None:
    assert "assert account.owner == " in all_of(tests, "test_set_by_name")
