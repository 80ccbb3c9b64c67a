"""``forkpoint manifest``."""

from __future__ import annotations

import click

from forkpoint.answers.refusals import Refusal
from forkpoint.cli import options
from forkpoint.cli.common import CLIENT_OPTION, FILE_ARGUMENT, JSON_OPTION, Command, complete_session, load
from forkpoint.cli.console import conclude, width
from forkpoint.ops import manifests
from forkpoint.requests import ManifestRequest
from forkpoint.view import manifests as view


@click.command(cls=Command)
@FILE_ARGUMENT
@options.takes(ManifestRequest)
@click.option("--against", metavar="SESSION", shell_complete=complete_session, help="Say what this session depends on otherwise.")
@click.option("--at-other", metavar="POINT", default="HEAD", help="Where that one goes on; the default is HEAD.")
@CLIENT_OPTION
@JSON_OPTION
def manifest(file: str, request: ManifestRequest, against: str | None, at_other: str, as_json: bool) -> None:
    """Say what a continuation at a point depends on: what the session pins, by a hash, and what the client takes as it is then.

    A fork takes along the conversation and the files that belong to it. Model, sampling, system prompt and tools are those of the
    client that goes on; the session says which they were. With --against two continuations are compared.

    \b
    Examples:
      forkpoint manifest session.jsonl --at 3
      forkpoint manifest one.jsonl --against two.jsonl
    """
    session = load(file)
    if against is None:
        if at_other != "HEAD":
            raise Refusal("--at-other needs --against")
        answer = manifests.manifest(session, request)
        conclude(answer, lambda: view.manifest(answer, width()), as_json=as_json)
        return
    found = manifests.compare(session, load(against), request.at, at_other)
    conclude(found, lambda: view.compared(found), as_json=as_json)
