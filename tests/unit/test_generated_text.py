"""Texts that differ in names only."""

import pytest
from generated_text import same_up_to_names

ONE = "define f(%a) {\n  %b = add %a, 1\n}\ndefine g(%a) {\n  ret %a\n}"


@pytest.mark.parametrize(
    ("other", "is_same"),
    [
        (ONE, True),
        (ONE.replace("%b", '%".7"'), True),
        (ONE.replace("g(%a) {\n  ret %a", "g(%c) {\n  ret %c"), True),
        (ONE.replace("ret %a", "ret %b"), False),
        (ONE.replace("%b = add %a", "%a = add %a"), False),
        (ONE.replace(", 1", ", 2"), False),
        (ONE.replace("  ret %a\n", ""), False),
    ],
)
def test_texts_are_the_same_up_to_names(other: str, is_same: bool):
    assert same_up_to_names(ONE, other) is is_same
    assert same_up_to_names(other, ONE) is is_same
