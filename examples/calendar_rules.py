"""Leap years, days of a month and the day after, in the Gregorian calendar."""

from __future__ import annotations


def is_leap(year: int) -> bool:
    if year % 400 == 0:
        return True
    if year % 100 == 0:
        return False
    return year % 4 == 0


def days_in_month(year: int, month: int) -> int:
    if month < 1 or month > 12:
        raise ValueError("there are twelve months")
    if month == 2:
        return 29 if is_leap(year) else 28
    if month in (4, 6, 9, 11):
        return 30
    return 31


def next_day(year: int, month: int, day: int) -> tuple[int, int, int]:
    if day < 1 or day > days_in_month(year, month):
        raise ValueError("no such day")
    if day < days_in_month(year, month):
        return year, month, day + 1
    if month < 12:
        return year, month + 1, 1
    return year + 1, 1, 1
