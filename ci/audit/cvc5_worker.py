"""Answers obligations with cvc5: a path a line comes in, an answer a line goes out. Runs in cvc5's own environment.

The files are written for z3: its options are left out, its logic and its names are said in standard SMT-LIB.
"""

from __future__ import annotations

import re
import sys

import cvc5

Z3_ONLY = re.compile(r"^\((?:set-option|set-info|get-info)[^\n]*$", re.MULTILINE)
NAMES = (("|T@U|", "T_U"), ("|T@T|", "T_T"), ("T@U", "T_U"), ("T@T", "T_T"), ("@@", "__"))

HANGS = "120000"  # milliseconds; some steps of cvc5 count no units


def standard(text: str) -> str:
    text = Z3_ONLY.sub("", text)
    for old, new in NAMES:
        text = text.replace(old, new)
    return text


def answer(path: str, units: str, options: list[str]) -> str:
    """What cvc5 says to the one question of a file: sat, unsat, unknown, or what went wrong."""
    solver = cvc5.Solver(cvc5.TermManager())
    for name, value in [
        ("incremental", "true"),
        ("rlimit-per", units),
        ("tlimit-per", HANGS),
        *(one.split("=") for one in options),
    ]:
        solver.setOption(name, value)
    solver.setLogic("ALL")
    parser = cvc5.InputParser(solver)
    with open(path, encoding="utf-8") as file:
        parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, standard(file.read()), path)
    symbols = parser.getSymbolManager()
    said: list[str] = []
    while not (command := parser.nextCommand()).isNull():
        text = command.invoke(solver, symbols).strip()
        if text.startswith("(error"):
            return text.replace("\n", " ")[:200]
        said += [text.split()[0]] if text else []
    return said[0] if len(said) == 1 else f"no clear answer ({said[:3]})"


def main() -> None:
    units, *options = sys.argv[1:]
    for line in sys.stdin:
        try:
            said = answer(line.strip(), units, options)
        except Exception as error:  # of whatever kind: it is the answer
            said = f"error: {type(error).__name__}: {' '.join(str(error).split())[:160]}"
        print(said, flush=True)


if __name__ == "__main__":
    main()
