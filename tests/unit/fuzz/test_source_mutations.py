"""Sources are changed in one place at a time, and only for the process that asks."""

import sys
import time
from pathlib import Path

import pytest
from judges import JUDGES
from source_mutations import ROOT, Mutation, Outcome, mutations, named, run_mutated
from source_score import argued, drawn, run

from vyre.analysis import purity

SOURCE = '''
def clamp(values: list[int], top: int) -> list[int]:
    """At most `top`, and -1 where é stands for 0."""
    found: list[int] = []
    for n in values:
        if n > top and n != 0 or not n:
            found.append(min(n, top - 1))
    return found


def is_even(number: int) -> bool:
    return divmod(number, 2)[1] == 0


def show(values: list[int]) -> None:
    print(f"{values[0]}")
    raise ValueError("too " + str(len(values) - 1))
'''
CHANGES = """
for n in values: ... -> pass
if n > top and n != 0 or not n: ... -> pass
if n > top and n != 0 or not n: -> if ((n > top and n != 0) and (not n)):
if n > top and n != 0 or not n: -> if not (n > top and n != 0 or not n):
if n > top and n != 0 or not n: -> if False or not n:
if n > top and n != 0 or not n: -> if ((n > top) or (n != 0)) or not n:
if n > top and n != 0 or not n: -> if True and n != 0 or not n:
if n > top and n != 0 or not n: -> if n <= top and n != 0 or not n:
if n > top and n != 0 or not n: -> if n >= top and n != 0 or not n:
if n > top and n != 0 or not n: -> if n > top and True or not n:
if n > top and n != 0 or not n: -> if n > top and n == 0 or not n:
if n > top and n != 0 or not n: -> if n > top and n != (-1) or not n:
if n > top and n != 0 or not n: -> if n > top and n != 1 or not n:
if n > top and n != 0 or not n: -> if n > top and n != 0 or (n):
if n > top and n != 0 or not n: -> if n > top and n != 0 or False:
found.append(min(n, top - 1)) -> pass
found.append(min(n, top - 1)) -> found.append(max(n, top - 1))
found.append(min(n, top - 1)) -> found.append(min(n, 1 - top))
found.append(min(n, top - 1)) -> found.append(min(n, top - 0))
found.append(min(n, top - 1)) -> found.append(min(n, top - 2))
return divmod(number, 2)[1] == 0 -> return False ...
return divmod(number, 2)[1] == 0 -> return True ...
return divmod(number, 2)[1] == 0 -> return divmod(2, number)[1] == 0
return divmod(number, 2)[1] == 0 -> return divmod(number, 1)[1] == 0
return divmod(number, 2)[1] == 0 -> return divmod(number, 3)[1] == 0
return divmod(number, 2)[1] == 0 -> return divmod(number, 2)[0] == 0
return divmod(number, 2)[1] == 0 -> return divmod(number, 2)[2] == 0
return divmod(number, 2)[1] == 0 -> return divmod(number, 2)[1] != 0
return divmod(number, 2)[1] == 0 -> return divmod(number, 2)[1] == (-1)
return divmod(number, 2)[1] == 0 -> return divmod(number, 2)[1] == 1
print(f"{values[0]}") -> return ...
print(f"{values[0]}") -> pass
raise ValueError("too " + str(len(values) - 1)) -> return ...
raise ValueError("too " + str(len(values) - 1)) -> pass
"""


@pytest.fixture
def found(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[Mutation]:
    (tmp_path / "clamped_in_tests.py").write_text(SOURCE)
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    return list(mutations("clamped_in_tests.py", root=tmp_path, package=""))


def work() -> object:
    import clamped_in_tests  # pyright: ignore[reportMissingImports]

    return clamped_in_tests.clamp([0, 4, 9], 5)  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def test_points_of_a_file(found: list[Mutation]):
    changes = [" -> ".join(mutation.change) for mutation in found]
    assert sorted(changes) == sorted(CHANGES.strip().split("\n"))
    assert [m.start for m in found] == sorted(m.start for m in found)
    for mutation in found:
        compile(mutation.source, mutation.name, "exec")
    assert {mutation.scope for mutation in found} == {"clamp", "is_even", "show"}


def test_one_process_imports_the_change(found: list[Mutation]):
    by_change = {" -> ".join(mutation.change): mutation for mutation in found}
    name = "found.append(min(n, top - 1)) -> found.append(max(n, top - 1))"
    assert run_mutated(by_change[name], work, 60) == Outcome([4, 9])
    assert run_mutated(None, work, 60) == Outcome([0, 4])
    swapped = "found.append(min(n, top - 1)) -> found.append(min(n, 1 - top))"
    assert run_mutated(by_change[swapped], work, 60) == Outcome([-4, -4])


def test_how_processes_end():
    def fail() -> None:
        raise ZeroDivisionError("by nothing")

    assert run_mutated(None, fail, 60) == Outcome(error="ZeroDivisionError: by nothing")
    assert run_mutated(None, lambda: time.sleep(60), 0.01).timed_out


def test_modules_that_are_imported_already_are_refused():
    name = "analysis/purity.py: return True -> return False"
    outcome = run_mutated(named(name), lambda: None, 60)
    assert outcome.error is not None
    assert f"{purity.__name__} is imported already" in outcome.error


def test_names_find_only_what_is_there():
    with pytest.raises(ValueError, match=r"no such mutation: analysis/purity\.py: x -> y"):
        named("analysis/purity.py: x -> y")


# The score


def test_judges_are_there():
    """Modules and tests that are renamed must not drop out of the score."""
    for path, tests in JUDGES.items():
        assert (ROOT / path).is_file()
        assert tests
        assert all((ROOT / test).exists() for test in tests), path


def test_drawing():
    paths = ["analysis/purity.py", "analysis/ranges.py"]
    found = drawn(0, 30, paths)
    assert found == drawn(0, 40, paths)[:30] != drawn(1, 30, paths)
    assert {each.path for each in found} == set(paths)
    assert len({each.name for each in found}) == 30


def test_arguments_are_about_mutations_that_there_are():
    for name, reason in argued().items():
        assert named(name).path in JUDGES
        assert reason, name


def test_a_mutation_is_judged(found: list[Mutation], tmp_path: Path):
    test = tmp_path / "test_clamping.py"
    test.write_text(
        "import clamped_in_tests\n\n\n"
        "def test_clamp():\n    assert clamped_in_tests.clamp([0, 4, 9], 5) == [0, 4]\n"
    )
    by_change = {" -> ".join(mutation.change): mutation for mutation in found}
    noticed = "found.append(min(n, top - 1)) -> found.append(max(n, top - 1))"
    condition = "if n > top and n != 0 or not n:"
    unnoticed = f"{condition} -> if n > top and True or not n:"
    assert run(None, [str(test)], 60)[0].by is None
    assert run(by_change[noticed], [str(test)], 60)[0].by == f"{test.name}::test_clamp"
    assert run(by_change[unnoticed], [str(test)], 60)[0].by is None
