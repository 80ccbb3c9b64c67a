"""Chapter 17: P24, what a file reads as after any part of any write."""

from __future__ import annotations

from collections.abc import Sequence

from forkpoint.core import appends
from forkpoint.core.appends import Alone, Beside, Heads, Lost, Outcome, Reader, Sight, Sorted, Sorter, Stale, Taken
from forkpoint.laws import definitions as d
from forkpoint.laws import law


def _appended(data: bytes, lines: Sequence[bytes]) -> bytes:
    return data + appends.written(data, lines)


def _self_delimiting(reader: Reader, *batches: Sequence[bytes]) -> bool:
    """What the theorems suppose of lines."""
    return all(d.self_delimiting(reader, line) for lines in batches for line in lines)


@law(
    "P24.1", "AppendTouchesNoOldByte WriteAsksForTheLastByteAlone", appends.written,
    quick=lambda data, lines, result: len(result) >= sum(map(len, lines)) + len(lines),
)  # fmt: skip
def append_touches_no_old_byte(data: bytes, lines: Sequence[bytes], result: bytes) -> bool:
    closed = not lines or not d.open_end(data + result)
    return result == d.write(data, lines) == appends.written(data[-1:], lines) and closed


@law("P24.1", "AppendTouchesNoOldByte", appends.is_open)
def an_open_end_has_no_newline(data: bytes, result: bool) -> bool:
    return result == d.open_end(data)


@law("P24.2", "AppendReadsAsOldThenNew EmptyFileReadsAsNothing")
def append_reads_as_old_then_new(reader: Reader, data: bytes, lines: Sequence[bytes]) -> bool:
    if not _self_delimiting(reader, lines):
        return True
    return appends.read(reader, _appended(data, lines)) == (*appends.read(reader, data), *lines)


@law("P24.2", "AppendReadsAsOldThenNew", appends.read, quick=lambda result: all(b"\n" not in line for line in result))
def reads_as_the_lines_that_hold_something(reader: Reader, data: bytes, result: Sequence[bytes]) -> bool:
    return result == d.read_lines(reader, data)


@law("P24.3", "TornWriteReadsAsOldThenWhatLanded AllLandWithAllBytes")
def torn_write_reads_as_old_then_what_landed(reader: Reader, data: bytes, lines: Sequence[bytes]) -> bool:
    """Cut at every byte."""
    if not _self_delimiting(reader, lines):
        return True
    write, old = appends.written(data, lines), appends.read(reader, data)
    return all(
        appends.read(reader, data + write[:count]) == (*old, *lines[: d.landed(data, lines, count)])
        for count in range(len(write) + 1)
    ) and d.landed(data, lines, len(write)) == len(lines)


@law("P24.4", "NextAppendMendsTheSeam")
def next_append_mends_the_seam(reader: Reader, data: bytes, lines: Sequence[bytes], more: Sequence[bytes]) -> bool:
    """Cut at every byte."""
    if not _self_delimiting(reader, lines, more):
        return True
    write, old = appends.written(data, lines), appends.read(reader, data)
    return all(
        appends.read(reader, _appended(data + write[:count], more)) == (*old, *lines[: d.landed(data, lines, count)], *more)
        for count in range(len(write) + 1)
    )


@law("P24.5", "StaleAppendChangesNothing GrownFileIsTheSameExactlyIfAsLong", appends.append_if)
def stale_append_changes_nothing(
    heads: Heads, data: bytes, seen: bytes, lines: Sequence[bytes], result: tuple[bytes, Outcome]
) -> bool:
    if data == seen:
        return result == (data + d.write(data, lines), Taken())
    grown = data.startswith(seen) and len(data) == len(seen)
    return result == (data, Stale(heads(seen), heads(data))) and not grown


@law("P24.6", "OneOfTwoAppendsIsTaken")
def one_of_two_appends_is_taken(heads: Heads, data: bytes, lines: Sequence[bytes], more: Sequence[bytes]) -> bool:
    if not lines:
        return True
    after, first = appends.append_if(heads, data, data, lines)
    last, second = appends.append_if(heads, after, data, more)
    return first == Taken() and (last, second) == (after, Stale(heads(data), heads(after)))


@law("P24.7", "RetryAppendsOnce")
def retry_appends_once(reader: Reader, data: bytes, lines: Sequence[bytes], more: Sequence[bytes]) -> bool:
    """Cut at every byte; the lines belong to the operation, and neither the old ones nor those of others do."""
    old = appends.read(reader, data)
    if not _self_delimiting(reader, lines, more) or {*old, *more} & {*lines}:
        return True
    write = appends.written(data, lines)

    def standing(file: bytes) -> int:
        return sum(line in lines for line in appends.read(reader, file))

    for count in range(len(write) + 1):
        there, file = d.landed(data, lines, count), _appended(data + write[:count], more)
        lacking = appends.lacking(standing(file), lines)
        after = _appended(file, lacking) if lacking else file
        wanted = (*old, *lines[:there], *more, *lines[there:])
        if appends.read(reader, after) != wanted or not after.startswith(file) or appends.lacking(standing(after), lines):
            return False
    return True


@law("P24.7", "RetryAppendsOnce", appends.lacking)
def lacking_is_what_is_behind(there: int, lines: Sequence[bytes], result: Sequence[bytes]) -> bool:
    return tuple(result) == tuple(line for at, line in enumerate(lines) if at >= there)


@law(
    "P24.8", "LookIsExact", appends.look,
    quick=lambda own, tail, result: (result == Alone()) == (own == tail),
)  # fmt: skip
def look_is_exact(own: bytes, tail: bytes, result: Sight) -> bool:
    places = [at for at in range(len(tail) + 1) if d.stands_at(own, tail, at)]
    return result == (Alone() if own == tail else Beside(places[0]) if places else Lost())


@law("P24.9", "TwoWritersBothStand")
def two_writers_both_stand(reader: Reader, data: bytes, lines: Sequence[bytes], more: Sequence[bytes]) -> bool:
    if not _self_delimiting(reader, lines, more) or not lines or not more:
        return True
    own, other = appends.written(data, lines), appends.written(data, more)
    told = [appends.look(own, own), *(appends.look(one, own + other) for one in (own, other))]
    both = isinstance(told[0], Alone) and all(isinstance(one, Beside) for one in told[1:])
    return both and appends.read(reader, data + own + other) == (*appends.read(reader, data), *lines, *more)


@law("P24.10", "JoinOfLinesIsTheFile LinesHoldNoNewline", appends.lines, quick=lambda result: len(result) > 0)
def lines_join_to_the_file(data: bytes, result: Sequence[bytes]) -> bool:
    return len(result) > 0 and all(10 not in line for line in result) and d.joined_lines(result) == data


@law("P24.10", "LinesOfJoinAreTheLines")
def lines_of_a_join_are_the_lines(lines: Sequence[bytes]) -> bool:
    if not lines or any(10 in line for line in lines):
        return True
    return appends.lines(d.joined_lines(lines)) == [*lines]


@law("P24.11", "AppendAddsWholeLines")
def append_adds_whole_lines(data: bytes, lines: Sequence[bytes]) -> bool:
    if any(10 in line for line in lines):
        return True
    return appends.lines(_appended(data, lines)) == [*d.begun(data), *lines, b""]


@law(
    "P21.1", "EachLineLandsOnce", appends.sort_lines,
    quick=lambda data, result: sum(map(len, result.values())) == data.count(10) + 1,
)  # fmt: skip
def each_line_lands_once(sorter: Sorter, data: bytes, result: Sorted) -> bool:
    every = d.file_lines(data)
    landed = [one.number for some in result.values() for one in some]
    return (
        sorted(landed) == list(range(len(every)))
        and all(every[one.number] == one.line and sorter(one.line) is sort for sort, some in result.items() for one in some)
        and all(list(some) == sorted(some) for some in result.values())
    )


@law("P21.2", "PutBackIsTheFile")
def put_back_is_the_file(sorter: Sorter, data: bytes) -> bool:
    return appends.put_back(appends.sort_lines(sorter, data)) == data
