"""What a continuation depends on besides the conversation, as far as a session holds it.

From 2.1.330 on clients keep a record of each request beside the conversation: its parameters, the system prompt and the tools.
Each answer names the record of its request. From 2.1.270 on an entry of the conversation holds the system prompt, with
which a client goes on, and from 2.1.315 on the tools. Those before keep the model, the version and the working folder alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from forkpoint.clients.claude.keys import CLI_PREFIX, DIGEST, SHAPE_HASH, SYSTEM_PROMPT
from forkpoint.clients.claude.lines import INSTRUCTIONS, PROMPT, REQUEST, REQUEST_REF, REQUEST_SHAPE
from forkpoint.clients.claude.versions import PROMPT_STAYS, TOOLS_STAY
from forkpoint.core.entries import Kind
from forkpoint.transcript.format.reader import Transcript
from forkpoint.transcript.query import witness
from forkpoint.words import count

PREFIX: Final = "prefix"
"""The conversation itself."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """Something that a continuation depends on.

    ``pinned``: the session holds it, with this ``hash``. In front of that stands what it is a hash of: ``sha256`` of a value,
    ``snapshot`` of the value that an entry keeps, ``client`` where the client made it. ``carried``: a fork takes it along, so
    that the client goes on with it whatever is there then. ``value`` is what it is, where that is short; ``line`` where it
    stands, ``why`` what holds it, or why nothing does.
    """

    name: str
    carried: bool
    hash: str | None
    value: str | None
    line: int | None
    why: str

    @property
    def pinned(self) -> bool:
        """Whether the session holds it."""
        return self.hash is not None


def surroundings(transcript: Transcript, members: Sequence[int]) -> Iterator[Dependency]:
    """What a continuation of a conversation depends on, the conversation first. Reads its lines, and the records of requests.
    O(bytes)."""
    found = witness.of(transcript, members)
    chain = found.content or found.ids
    what = "what its entries say" if found.content is not None else "the uuids of its entries"
    yield Dependency(PREFIX, True, f"sha256:{chain}", count(found.length, "entry"), None, f"the witness, of {what}")
    answer, keys = _answer(transcript, members)
    yield from _request(transcript, members, keys, None if answer is None else transcript.span(answer).number)
    yield _memory(transcript, members, keys)
    yield from _place(keys, None if answer is None else transcript.span(answer).number)


def _answer(transcript: Transcript, members: Sequence[int]) -> tuple[int | None, Mapping[str, object]]:
    """The last answer of a model, and the keys of its line; those that a client wrote itself are passed over."""
    for at in reversed(members):
        if transcript.log[at].kind is Kind.ASSISTANT:
            keys = transcript.keys(transcript.span(at))
            message = keys.get("message")
            if not (isinstance(message, Mapping) and str(message.get("model", "")).startswith("<")):
                return at, keys
    return None, {}


def _request(
    transcript: Transcript, members: Sequence[int], keys: Mapping[str, object], line: int | None
) -> Iterator[Dependency]:
    """What the record of the last request says, or what there is in its place."""
    message = keys.get("message")
    model = message.get("model") if isinstance(message, Mapping) else None
    record = _record(transcript, REQUEST, "id", keys.get(REQUEST_REF))
    where, said = record or (line, {})
    params = said.get("params")
    if isinstance(params, Mapping) and isinstance(params.get("model"), str):
        rest = {key: value for key, value in params.items() if key != "model"}
        yield _pinned("model", params["model"], where, _RECORD, short=str(params["model"]))
        yield _pinned("sampling", rest, where, _RECORD, short=_sampling(rest))
    else:
        if isinstance(model, str) and not model.startswith("<"):
            yield _pinned("model", model, line, "the last answer", short=model)
        else:
            yield _unknown("model", "no answer names one")
        yield _unknown("sampling", _why(keys))
    yield from _prompt_and_tools(transcript, members, keys, said)
    digest = said.get(DIGEST)
    if isinstance(digest, str):
        why = "the client's own digest of all that it sent last: reminders, the date and the session's id, too"
        yield Dependency("whole request", False, f"client:{digest}", None, where, why)
    else:
        yield _unknown("whole request", _why(keys))


def prompt_and_tools(transcript: Transcript, members: Sequence[int]) -> Iterator[Dependency]:
    """The system prompt and the tools with which a conversation goes on, as far as the session holds them. Reads attachments."""
    _, keys = _answer(transcript, members)
    _, said = _record(transcript, REQUEST, "id", keys.get(REQUEST_REF)) or (None, {})
    yield from _prompt_and_tools(transcript, members, keys, said)


def _prompt_and_tools(
    transcript: Transcript, members: Sequence[int], keys: Mapping[str, object], said: Mapping[str, object]
) -> Iterator[Dependency]:
    shape = _record(transcript, REQUEST_SHAPE, SHAPE_HASH, said.get(SHAPE_HASH))
    whole = shape[1].get("shape") if shape is not None else None
    version = transcript.log[members[-1]].version if members else ()
    whole_prompt = _attachment(transcript, members, PROMPT, CLI_PREFIX) is not None  # the one of the first turn lacks a sentence
    for name, key, kept, parts, since in (
        ("system prompt", "system", SYSTEM_PROMPT, "parts", PROMPT_STAYS),
        ("tools", "tools", "tools", "tools", TOOLS_STAY),
    ):
        entry = _attachment(transcript, members, PROMPT, kept)
        held = entry is not None and isinstance(entry[1], list) and version >= since and whole_prompt
        value = whole.get(key) if isinstance(whole, Mapping) else None
        if shape is not None and isinstance(value, list):
            why = "the record of the last request; an entry of the conversation holds it, too" if held else _RECORD
            yield Dependency(name, held, _hash(value), f"{len(value)} {parts}", shape[0], why)
        elif entry is not None and isinstance(entry[1], list):
            why = "an entry of the conversation, of when it was written"
            yield Dependency(name, held, _hash(entry[1], "snapshot"), f"{len(entry[1])} {parts}", entry[0], why)
        else:
            yield _unknown(name, _why(keys))


_RECORD: Final = "the record of the last request"


def _memory(transcript: Transcript, members: Sequence[int], keys: Mapping[str, object]) -> Dependency:
    """The memory files that the conversation holds last; clients that keep records of requests write an entry for each change."""
    found = _attachment(transcript, members, INSTRUCTIONS, "files")
    if found is None and isinstance(keys.get(REQUEST_REF), str):
        return Dependency(
            "memory files", True, _hash([]), "none", None, "the conversation holds none, and this client notes them"
        )
    if found is None or not isinstance(found[1], list):
        return _unknown("memory files", "the conversation holds none; the client sends those that it finds")
    paths = [str(one.get("path")) for one in found[1] if isinstance(one, Mapping)]
    return Dependency("memory files", True, _hash(found[1]), ", ".join(paths), found[0], _IN_IT)


def _attachment(transcript: Transcript, members: Sequence[int], kind: str, key: str) -> tuple[int, object] | None:
    """What the last attachment of a type that has a key says there, and its line. Reads attachments from the end."""
    for at in reversed(members):
        if transcript.log[at].kind is Kind.ATTACHMENT:
            attachment = transcript.keys(transcript.span(at)).get("attachment")
            if isinstance(attachment, Mapping) and attachment.get("type") == kind and key in attachment:
                return transcript.span(at).number, attachment[key]
    return None


_IN_IT: Final = "an entry of the conversation holds them; files that changed since are sent as well"


def _place(keys: Mapping[str, object], line: int | None) -> Iterator[Dependency]:
    folder = keys.get("cwd")
    if isinstance(folder, str):
        yield _pinned("working folder", folder, line, "the last answer; the client goes on where it is started", short=folder)
    else:
        yield _unknown("working folder", "no answer names one")
    version = keys.get("version")
    if isinstance(version, str):
        yield _pinned("client", version, line, "the last answer; the client that is installed goes on", short=version)
    else:
        yield _unknown("client", "no answer names one")
    yield _unknown("files", "calls read and write what is there then; `fork --worktree` brings those that the session changed")
    yield _unknown("time", "the client tells the model the date")
    yield _unknown("draws", "the API draws each answer anew, and takes no seed")


def _record(transcript: Transcript, kind: str, key: str, wanted: object) -> tuple[int, Mapping[str, object]] | None:
    """The last sidecar of a type whose key has a value, and its line. O(sidecars of the type)."""
    if not isinstance(wanted, str):
        return None
    for sidecar in reversed(transcript.sidecars):
        if sidecar.type == kind:
            says = transcript.keys(sidecar.span)
            if says.get(key) == wanted:
                return sidecar.span.number, says
    return None


def _why(keys: Mapping[str, object]) -> str:
    if isinstance(keys.get(REQUEST_REF), str):
        return "the file has no record of the last request: forks leave these out, and the source has it"
    return "the client that wrote the last answer keeps no record of requests"


def _sampling(params: Mapping[str, object]) -> str:
    """The parameters that are single values, as words."""
    config = params.get("output_config")
    flat = {**params, **(config if isinstance(config, Mapping) else {})}
    return ", ".join(f"{key} {value}" for key, value in flat.items() if isinstance(value, str | int | float))


def _pinned(name: str, value: object, line: int | None, why: str, *, short: str) -> Dependency:
    return Dependency(name, False, _hash(value), short, line, why)


def _unknown(name: str, why: str) -> Dependency:
    return Dependency(name, False, None, None, None, why)


def _hash(value: object, kind: str = "sha256") -> str:
    """The hash of a value: of its JSON in ASCII, keys in order, without spaces."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"))
    return f"{kind}:{hashlib.sha256(text.encode()).hexdigest()}"
