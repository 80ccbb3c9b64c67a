"""The smallest leaf under contract: successor and addition of natural numbers, and what they promise.

    python3 tests/samples/succ_add.py

It prints that the contracts hold, or ends with an error: that is all that a branch has to bring home.
"""


def natural(*numbers: int) -> bool:
    """The contract of every argument and result."""
    return all(type(number) is int and number >= 0 for number in numbers)


def succ(number: int) -> int:
    """The next number."""
    assert natural(number)
    return number + 1


def add(left: int, right: int) -> int:
    """The sum, by counting down the left number, as Peano has it."""
    assert natural(left, right)
    return right if left == 0 else succ(add(left - 1, right))


assert add(1, 40) == 41
assert add(add(add(0, 1), 40), add(0, 1)) == 42  # ((0+1)+40)+(0+1)
assert add(add(0, 1), add(40, add(0, 1))) == 42  # (0+1)+(40+(0+1))
for wrong in (-1, True, 0.0):
    try:
        succ(wrong)  # type: ignore[arg-type]  # what the contract must refuse
    except AssertionError:
        continue
    raise SystemExit(f"succ takes {wrong!r}")
print("contracts: ok")
