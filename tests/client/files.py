"""The client edits files of a repository; then they go back, by the client's own restore, in place, and in a worktree.

The client makes two turns: edits of a small file, of one with other line ends, of a large one, and a new file. Of the prompt of
the second turn the client restores the files (``--rewind-files``); forkpoint does the same with ``rewind --files``, and with
``fork --worktree``, in which the client then goes on. All three must hold the same, and the request of the last one the
conversation of the first turn.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from client import driver, live, runner, standin
from client.cases import Case, Point
from client.compare import masked
from client.runner import Bench, Result, Untried
from client.worldlines import say
from forkpoint.transcript.format import reader

VERSIONS = ("2.1.161", "2.1.332")
GROUP = "files and a worktree"
FIRST, SECOND, LATER = "first some edits", "then some more", "what comes in the worktree"
ASKED = ("--permission-mode", "bypassPermissions")
KEPT = {"CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING": "1"}
MADE = ("plain.txt", "dos.txt", "large.txt", "new.txt", "gone.txt")


def fill(folder: Path) -> None:
    """A repository with files, and one commit."""
    (folder / "plain.txt").write_text("one\ntwo\nthree\n")
    (folder / "dos.txt").write_bytes(b"alpha\r\nbeta\r\n")
    (folder / "large.txt").write_text("".join(f"line {number} of a large file\n" for number in range(900)))
    (folder / "gone.txt").write_text("still there\n")
    for words in (["init", "-q"], ["add", "-A"], ["-c", "user.name=a", "-c", "user.email=b", "commit", "-qm", "first"]):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


def turns(folder: Path) -> tuple[str, str]:
    """The two prompts, with the calls that the stand-in makes of them."""

    def edit(name: str, old: str, new: str) -> list[object]:
        return ["Edit", {"file_path": str(folder / name), "old_string": old, "new_string": new}]

    def write(name: str, text: str) -> list[object]:
        return ["Write", {"file_path": str(folder / name), "content": text}]

    reads = [["Read", {"file_path": str(folder / name)}] for name in ("plain.txt", "dos.txt", "large.txt", "gone.txt")]
    first = [
        *reads,
        edit("plain.txt", "two", "TWO"),
        edit("dos.txt", "beta", "BETA"),
        edit("large.txt", "line 300 of", "LINE 300 of"),
    ]
    second = [
        edit("plain.txt", "three", "THREE"),
        edit("large.txt", "line 301 of", "LINE 301 of"),
        edit("gone.txt", "still", "no longer"),
        write("new.txt", "all new\n"),
    ]
    added = [*first, write("new.txt", "new\n")]
    return f"{FIRST} {standin.CALLS} {json.dumps(added)}", f"{SECOND} {standin.CALLS} {json.dumps(second)}"


def held(folder: Path) -> dict[str, bytes | None]:
    """What the files hold."""
    return {name: (folder / name).read_bytes() if (folder / name).exists() else None for name in MADE}


def asked(bench: Bench, version: str, session: str | None, prompt: str) -> None:
    """A turn of the client."""
    run = driver.resume(
        bench.commands[version], bench.place, bench.standin, session, ASKED, prompt=prompt, whole=True, extra=KEPT
    )
    if run.exit_code != 0:
        raise Untried(f"the client ended with {run.exit_code}: {run.said[-200:]}")


def compared(bench: Bench, case: Case) -> Result:
    """The three ways, or a real session in a worktree."""
    name = case.point.path.name
    against = "a fork beside the session" if name else "the client's own restore"
    result = Result(case.version, case.group, "HEAD", name or "files", 0, "", "worktree", ["plain"], against)
    started = time.monotonic()
    try:
        result.why = in_worktree(bench, case.version, case.point.path) if name else differences(bench, case.version)
        result.equal = not result.why
    except (Untried, runner.Refused, live.Stuck, ValueError, subprocess.CalledProcessError) as reason:
        result.why = [str(reason)]
    result.seconds = round(time.monotonic() - started, 2)
    return result


def restore(bench: Bench, place: driver.Place, version: str, session: str, prompt: str) -> None:
    """Has the client put the files of a place back as they were at a prompt. Raises :class:`~client.runner.Untried`."""
    done = subprocess.run(
        [*bench.commands[version], "-p", "--resume", session, "--rewind-files", prompt],
        env=place.environment(bench.standin.url) | KEPT,
        cwd=place.cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if done.returncode:
        raise Untried(f"--rewind-files: exit code {done.returncode}: {(done.stdout + done.stderr)[-200:]}")


def differences(bench: Bench, version: str) -> list[str]:
    """What the ways have otherwise."""
    place = bench.place
    place.clear()
    live.trust(place)
    fill(place.cwd)
    first, second = turns(place.cwd)
    asked(bench, version, None, first)
    (path,) = (each for each in place.project.glob("*.jsonl") if not each.name.startswith("agent-"))
    truth = held(place.cwd)
    asked(bench, version, path.stem, second)
    late, text = held(place.cwd), path.read_bytes()
    if truth == late:
        raise Untried("the client changed nothing in the second turn")
    prompt = next(row["uuid"] for row in map(json.loads, text.splitlines()) if row.get("type") == "user" and SECOND in str(row))
    restore(bench, place, version, path.stem, prompt)
    ways = {"the client's own restore": held(place.cwd)}
    for name, data in late.items():
        _hold(place.cwd / name, data)
    path.write_bytes(text)
    folder = place.root / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    made = say(bench, "fork", str(path), "--before", "--at", prompt, "--worktree", str(folder), "--json")
    ways["the worktree"] = held(folder)
    if held(place.cwd) != late:
        return ["fork --worktree changed the user's own files"]
    put = say(bench, "rewind", str(path), "--before", prompt, "--files", "--force", "--json")
    ways["in place"] = held(place.cwd)
    say(bench, "files", str(path), "--undo", put["files"]["operation"], "--json")
    ways["undone"] = held(place.cwd)
    wrong = [
        f"{name}: {file}: {str(found[file])[:60]} | {str(right[file])[:60]}"
        for name, found in ways.items()
        for file in MADE
        if found[file] != (right := late if name == "undone" else truth)[file]
    ]
    bench.standin.expect(LATER)
    command = [*bench.commands[version], "-p", LATER, "--resume", made["id"]]
    environment = place.environment(bench.standin.url) | KEPT
    subprocess.run(command, cwd=folder, env=environment, capture_output=True, timeout=60, check=False)
    if bench.standin.main is None:
        return [*wrong, "the client that goes on in the worktree asked for nothing"]
    told = json.dumps(bench.standin.main.body["messages"])
    return (
        wrong
        + [f"the request of the worktree: {words}" for words in (FIRST, LATER) if words not in told]
        + (["the request of the worktree holds the second turn"] if SECOND in told else [])
    )


def in_worktree(bench: Bench, version: str, source: Path) -> list[str]:
    """A real session whose working folder is a new repository here: what is otherwise in its worktree, or in what the client is
    sent there, than in a plain fork."""
    place = bench.place
    place.clear()
    live.trust(place)
    fill(place.cwd)
    path = place.project / f"{SESSION}.jsonl"
    shutil.copyfile(source, path)
    folder = place.root / "tree"
    shutil.rmtree(folder, ignore_errors=True)
    plain = say(bench, "fork", str(path), "--nearest", "--json")
    words = ("fork", str(path), "--nearest", "--worktree", str(folder), "--repository", str(place.cwd), "--json")
    made = say(bench, *words)
    put = {one["path"]: one["what"] for one in made["worktree"]["put"]}
    listed = say(bench, "files", str(path), "--at", made["point"]["uuid"], "--repository", str(place.cwd), "--json")
    wrong = []
    for one in listed["files"]:
        file = folder / one["path"]
        text = file.read_bytes().decode() if file.is_file() else None
        if one["holds"] == "unknown":
            wrong += [f"{one['path']}: nobody knows it, and it was {put[one['path']]}"] * (put[one["path"]] != "left")
        elif one["holds"] == "nothing":
            wrong += [f"{one['path']} is there"] * (text is not None)
        elif text is None or len(text.replace("\r\n", "\n")) != one["characters"]:
            wrong.append(f"{one['path']} has {None if text is None else len(text)} characters, not {one['characters']}")
    told = []
    for fork, where in ((plain, place.cwd), (made, folder)):
        bench.standin.expect(LATER)
        command = [*bench.commands[version], "-p", LATER, "--resume", fork["id"]]
        subprocess.run(command, cwd=where, env=place.environment(bench.standin.url), capture_output=True, timeout=60, check=False)
        if bench.standin.main is None:
            raise Untried(f"the client that goes on in {where.name} asked for nothing")
        told.append(without_surroundings(masked(bench.standin.main.body, fork["id"])).replace(str(where), "HERE"))
    there, here = told
    return wrong if there == here else [*wrong, f"what the client is sent differs: {len(there)} and {len(here)} characters"]


SURROUNDINGS = re.compile(
    r"<system-reminder>\\n(?:# Environment|The following skills|As you answer)"
    r"(?:(?!</system-reminder>).)*</system-reminder>(?:\\n)?"
    r'|"text": "# Environment\\n(?:[^"\\]|\\.)*"'
)
"""What the client says of the folder in which it is: that it is a worktree, the skills in it, and its status."""


def without_surroundings(body: standin.Body) -> str:
    """The messages of a request without what the client says of the folder."""
    return SURROUNDINGS.sub("", json.dumps(body["messages"])).replace('{"type": "text", "text": ""}, ', "")


SESSION = "c1111111-0000-4000-8000-000000000001"
REAL = 10
"""So many real sessions are tried, in each of which files were changed."""


def edited(corpus: Path) -> list[Path]:
    """Healthy real sessions with many edits, of different projects first."""
    found: dict[str, list[tuple[int, Path]]] = {}
    for path in sorted(corpus.rglob("*.jsonl")):
        many = path.read_bytes().count(b'"structuredPatch"')
        if many > 3 and "client-made" not in path.parts and not (read := reader.read(path)).violations and not read.damage:
            found.setdefault(path.relative_to(corpus).parts[0], []).append((many, path))
    ranked = [sorted(those, reverse=True) for those in found.values()]
    rounds = [those[at][1] for at in range(max(map(len, ranked), default=0)) for those in ranked if at < len(those)]
    return rounds[:REAL]


def _hold(path: Path, data: bytes | None) -> None:
    if data is None:
        path.unlink(missing_ok=True)
    else:
        path.write_bytes(data)


def cases(versions: Sequence[str], corpus: Path) -> list[Case]:
    """One under each client that restores files without a terminal; real sessions under the last of them."""

    def case(version: str, path: Path) -> Case:
        return Case(version, GROUP, Point(path, "", 0, "worktree", (), False, False, False, False), ("HEAD",), {})

    found = [case(version, Path()) for version in versions if version in VERSIONS]
    return found + [case(VERSIONS[-1], path) for path in edited(corpus) if VERSIONS[-1] in versions]


def work(case: Case) -> list[dict[str, object]]:
    """Runs a case in a worker."""
    assert runner._BENCH is not None
    return [asdict(compared(runner._BENCH, case))]
