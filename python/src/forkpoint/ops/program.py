"""How forkpoint itself is run, by a timer, a hook or a client, and for whom."""

from __future__ import annotations

import getpass
import os
import shlex
import shutil
import sys

from forkpoint.answers.refusals import Refusal


def who(name: str | None = None) -> str:
    """Who asks for something: a name that was given, the one of the environment, or that of the user. Refuses where there is
    none."""
    try:
        return name or os.environ.get("FORKPOINT_ACTOR") or getpass.getuser()
    except (OSError, KeyError) as error:
        raise Refusal("nobody knows who you are here", cure="--by NAME says so") from error


def command(*words: str) -> str:
    """A command of forkpoint, as a shell reads it in any folder: by the program on the PATH or beside the interpreter, or else by
    the interpreter that runs now, which then looks for modules in no folder that it is started in."""
    beside = os.path.join(os.path.dirname(sys.executable), "forkpoint")
    program = shutil.which("forkpoint") or (beside if os.access(beside, os.X_OK) else None)
    own = [os.path.abspath(program)] if program is not None else [sys.executable, "-P", "-m", "forkpoint.cli.main"]
    return shlex.join([*own, *words])
