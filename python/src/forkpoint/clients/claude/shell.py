"""Which command lines of a shell surely only read. Every other one may write.

Only what is plain is judged: names of programs, words, pipes, and output thrown away. Whatever else a shell understands
(comments, groups, expansions that run something, assignments, redirections to files) counts as a line that may write.
"""

from __future__ import annotations

import re
import shlex
from typing import Final

READERS: Final = frozenset(
    {
        "[", "basename", "cat", "cd", "cmp", "column", "comm", "cut", "df", "diff", "dirname", "du", "echo", "egrep", "expr",
        "false", "fgrep", "grep", "head", "hexdump", "id", "jq", "ls", "md5sum", "nl", "od", "printf", "ps", "pwd", "readelf",
        "readlink", "realpath", "seq", "sha1sum", "sha256sum", "sleep", "stat", "strings", "tac", "tail", "test", "tr", "true",
        "type", "uname", "wc", "which", "whoami",
    }
)  # fmt: skip
"""Programs that write nothing but their output, whatever their arguments are."""
GIT_READERS: Final = frozenset(
    {
        "blame",
        "describe",
        "diff",
        "log",
        "ls-files",
        "ls-tree",
        "merge-base",
        "rev-list",
        "rev-parse",
        "shortlog",
        "show",
        "status",
    }
)
"""Commands of git that only read, unless an option sends their output elsewhere or calls a program."""
_GIT_WRITES: Final = re.compile(r"--(?:output|ext-diff|textconv|exec|open)|-O")
_FIND_WRITES: Final = re.compile(r"-(?:delete|exec|execdir|fls|fprint|fprintf|fprint0|ok|okdir)")
_PRINTS: Final = re.compile(r"\d{1,9}(?:,(?:\d{1,9}|\$))?p|\$p")
"""The scripts of sed that print lines."""
_SORTS: Final = re.compile(r"-[bdfghinrRuVz]{1,13}|-[kt]\S{0,20}")
_UNIQUE: Final = re.compile(r"-[cdiu]{1,4}")
HARMLESS: Final = re.compile(r"(?<=\s)(?:\d?>{1,2}\s?/dev/null|2>&1)(?=\s|$)")
"""Where output goes that lands in no file."""
_RUNS: Final = re.compile(r"[#`<>(){}!]|\$[^A-Za-z_\s/.,:]")
"""Signs with which a shell may do more than call a program with words."""
NEXT: Final = frozenset({"&&", "||", ";", "|"})


def only_reads(command: str) -> bool:
    """Whether each program that a command line calls surely only reads. False where that is not sure. O(length)."""
    text = HARMLESS.sub(" ", command)
    if _RUNS.search(text):
        return False
    lexer = shlex.shlex(text.replace("\n", " ; "), posix=True, punctuation_chars="|&;")
    lexer.whitespace_split = True
    lexer.commenters = ""
    try:
        words = list(lexer)
    except ValueError:
        return False
    call: list[str] = []
    for word in [*words, ";"]:
        if word in NEXT:
            if call and not _reads(call):
                return False
            call = []
        elif word and not word.strip("|&;"):
            return False
        else:
            call.append(word)
    return True


def _reads(call: list[str]) -> bool:
    """Whether one call of a program only reads."""
    program, *arguments = call
    if program == "git":
        while arguments[:1] == ["-C"]:
            arguments = arguments[2:]
        arguments = [word for word in arguments if word != "--no-pager"]
        return bool(arguments) and arguments[0] in GIT_READERS and not any(map(_GIT_WRITES.match, arguments))
    if program == "find":
        return not any(map(_FIND_WRITES.match, arguments))
    if program == "rg":
        return not any(word.startswith("--pre") for word in arguments)
    if program == "sed":
        return (
            len(arguments) > 1
            and arguments[0] == "-n"
            and _PRINTS.fullmatch(arguments[1]) is not None
            and not _options(arguments[2:])
        )
    if program == "sort":
        return all(map(_SORTS.fullmatch, _options(arguments)))
    if program == "uniq":
        return all(map(_UNIQUE.fullmatch, arguments))
    if program == "file":
        return not _options(arguments)
    return program in READERS


def _options(arguments: list[str]) -> list[str]:
    return [word for word in arguments if word.startswith("-")]
