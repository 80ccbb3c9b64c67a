"""Files that are always tried: transcripts of users in which lines hang below the conversation, and small ones made for the rule.

Of each the client resumes the original and its fork at HEAD, and the requests are compared. A file that is not there is named.
Of some the head stands within a turn: forkpoint refuses to fork there. Then the client must go on where the refusal says.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path

from client import compare, runner
from client.cases import Case, Point
from client.runner import Bench, Refused, Result, Untried

VERSIONS = ("2.1.332",)
"""The client that sends what hangs below, and goes on where the newest rule of HEAD says."""
GROUP = "always tried"

FOLDER = "winksaville__vc-x1.claude"
USERS = (
    "07191fe5-7082-4c0f-b221-ecc9db8b1460",
    "38150ae3-6f9c-418d-8827-183da27ad758",
    "4d301f64-8e97-47e0-9078-9ea46c5fa3e6",
    "509a128f-8fb7-402a-b265-ef917ff99547",
    "6f2f600f-1317-43b6-9623-3da15dc5a528",
    "849d311d-eb34-4a66-a2c0-f94555d75196",
    "c79ed6c7-8162-4fbb-90dc-dc30dae40d81",
    "d671ad5c-7f9c-4376-8121-02548850ed1a",
    "db7a6d8c-7b45-413b-8660-eb1d41a6a292",
    "dfead3d3-1094-4910-b664-33f917939857",
    "ec7790d0-5793-4ecc-9195-be79111a3af8",
    "ee8cf4f5-222b-4aed-8691-55d3fd852c58",
)
"""Every session of the corpus in which lines hang below its HEAD's conversation."""

SMALL = {
    "client": (
        "1-hook-one-call",
        "2-two-skills-at-once",
        "3-head-mid-turn",
        "4-head-mid-turn-one-more-turn",
        "5-prompt-written-twice-2.1.161",
    ),
    "client/below": (
        "b01-chain-below-call",
        "b02-two-children-block",
        "b03-prompt-below-blocks",
        "b04-sidechain-child-blocks",
        "b05-system-and-progress-in-chain",
        "b06-below-plain-answer",
        "b07-below-recovered-result-words",
        "b08-words-not-meta",
        "b09-below-on-path-attachment",
        "b10-behind-a-prompt-no-more",
        "b11-below-text-part",
        "b12-call-without-message-id",
        "b13-sidechain-flag-differs",
        "b14-call-without-result",
        "b15-file-order-reversed",
        "b16-result-below-attachment",
        "h01-side-call",
        "h02-side-result-of-a-call-on-the-way",
        "h03-attachment-below-side-result",
        "h04-attachment-below-side-call",
        "h05-text-part-beside",
        "h06-second-result-of-a-single-call",
        "h07-parts-as-siblings",
        "h08-old-answer-below-side-result",
        "h09-rewound-before-the-prompt",
        "h10-explicit",
        "t01-below-the-head",
    ),
}
"""The small files, by their folder among the cases."""


NOT_OVER = "the turn is not over"
REFUSED = {
    "h04-attachment-below-side-call": NOT_OVER,
    "h05-text-part-beside": NOT_OVER,
    "h06-second-result-of-a-single-call": NOT_OVER,
    "h07-parts-as-siblings": NOT_OVER,
    "h08-old-answer-below-side-result": NOT_OVER,
    "h09-rewound-before-the-prompt": NOT_OVER,
    "h10-explicit": NOT_OVER,
}
"""The files of which no fork at HEAD can be had, and why."""
OPTIONS = {"b14-call-without-result": ("--allow-inherited",)}
"""What a fork at HEAD is asked with: of a call without a result far above, the client sends nothing."""
POINT = re.compile(r": (\S+): cannot be forked: ")


def files(corpus: Path) -> Iterator[Path]:
    """Where each file should lie: in the corpus, or among the cases beside it."""
    yield from (corpus / FOLDER / f"{name}.jsonl" for name in USERS)
    for folder, names in SMALL.items():
        yield from (corpus.with_name("cases") / folder / f"{name}.jsonl" for name in names)


def absent(corpus: Path) -> list[str]:
    """The files that are not there, and so are not tried."""
    return [path.name for path in files(corpus) if not path.exists()]


def refusal(bench: Bench, case: Case) -> list[str]:
    """What is wrong about a refusal: it must name the head; there the client goes on, and not at the last words of the file."""
    path = case.point.path
    lines = [json.loads(line) for line in path.read_bytes().splitlines()]
    head = [line["leafUuid"] for line in lines if line.get("type") == "last-prompt"][-1]
    last = [line["message"]["content"] for line in lines if line.get("type") == "assistant"][-1]
    run = bench.resume(case.version, bench.put(path).stem)
    if run.body is None:
        raise Untried(f"the client on the original: {run.said[-200:]}")
    if words := [block["text"] for block in last if block.get("text", "") in compare.Sent.of(run.body).text]:
        return [f"the client goes on at the end: {words}"]
    try:
        runner.head(bench, case.version, case.point)
    except Refused as reason:
        found = POINT.search(str(reason))
        if found is None or found[1] != head or REFUSED[path.stem] not in str(reason):
            return [str(reason)]
        return []
    return ["a fork at the head is made, where none could be had"]


def compared(bench: Bench, case: Case) -> Result:
    """The client on a file, and on its fork at HEAD."""
    path = case.point.path
    result = Result(case.version, case.group, "HEAD", path.name, 0, "", "fixed", ["plain"], "original")
    started = time.monotonic()
    try:
        if path.stem in REFUSED:
            wrong = refusal(bench, case)
            result.refused, result.why = not wrong, wrong or [REFUSED[path.stem]]
            return result
        (own, left), (session, right) = runner.head(bench, case.version, case.point, *OPTIONS.get(path.stem, ()))
        assert left.body is not None
        if right.body is None:
            raise Untried(f"the client: {right.said[-200:]}")
        one, other = compare.masked(left.body, own), compare.masked(right.body, session)
        result.equal = one == other
        if result.equal:
            result.masks = compare.needed(left.body, own, right.body, session)
        else:
            result.why = [f"{found.place}: {found.left} | {found.right}" for found in list(compare.differences(one, other))[:6]]
    except (Untried, Refused) as reason:
        result.why = [str(reason)]
    finally:
        result.seconds = round(time.monotonic() - started, 2)
    return result


def cases(versions: Sequence[str], corpus: Path) -> list[Case]:
    """Each file that is there under each client."""
    found = [path for path in files(corpus) if path.exists()]
    return [
        Case(version, GROUP, Point(path, "", 0, "fixed", (), False, False, False, False), ("HEAD",), {})
        for version in versions
        if version in VERSIONS
        for path in found
    ]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
