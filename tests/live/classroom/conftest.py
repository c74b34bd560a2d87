"""Fixtures: a fresh server, a class with an open question, and a phone in the class."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.live.classroom.phones import QUESTION, Phone, Teacher, started


@pytest.fixture(autouse=True)
def server() -> Iterator[None]:
    with started():
        yield


@pytest.fixture
def teacher() -> Teacher:
    teacher = Teacher()
    teacher.open()
    assert teacher.do("ask", **QUESTION).status_code == 200
    return teacher


@pytest.fixture
def phone(teacher: Teacher) -> Phone:
    phone = Phone(teacher.code)
    assert phone.open().status_code == 200
    return phone
