"""The registry of JSON Schemas by client version and entry type, and what the spec shows of it.

    python -m ci.client.schemas CLIENT CORPUS    writes python/src/forkpoint/clients/claude/schemas.json
    python -m ci.client.schemas --keys           where backfill takes the value of each required key from, and why
    python -m ci.client.schemas --changes        what each version requires of an entry beyond the one before it
    python -m ci.client.schemas --count CORPUS   writes ci/client/migration.json: what the corpus lacks, and what filling it costs
    python -m ci.client.schemas --migration      the table of that

CLIENT is a folder with measured tables: `keysets.json` has, for each client version and part of an entry, the keys that were
always there and those that were there sometimes; `examples-*.md` show entries. CORPUS is a folder of transcripts. Required is
what was always there. The type of a value is what the examples and the corpus show for its key, whatever the version; where
they show nothing but null, any type will do.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from ci.lib import ROOT

SCHEMAS = ROOT / "python" / "src" / "forkpoint" / "clients" / "claude" / "schemas.json"
COUNTS = ROOT / "ci" / "client" / "migration.json"
DRAFT = "https://json-schema.org/draft/2020-12/schema"
SUBAGENT = "subagent:"
TYPES = {bool: "boolean", str: "string", dict: "object", list: "array", type(None): "null", int: "number", float: "number"}

Part = dict[str, list[str]]
Schema = dict[str, Any]


@dataclass(frozen=True)
class Source:
    """Where the value of a missing key comes from: a ``default``, or nowhere (``reserved``)."""

    way: str
    reason: str
    default: object = None


KEYS = {
    "gitBranch": Source("default", "no branch, which clients write outside a repository", ""),
    "userType": Source("default", "the one value that clients write", "external"),
    "entrypoint": Source("default", "started from the command line, as a rule; it is not sent to the model", "cli"),
    "type": Source("reserved", "the reader uses it: what the entry is"),
    "subtype": Source("reserved", "the reader uses it: what the entry is"),
    "uuid": Source("reserved", "the reader uses it: the entry's name"),
    "parentUuid": Source("reserved", "the reader uses it: the entry's place in the tree"),
    "logicalParentUuid": Source("reserved", "the reader uses it: the place in the tree before a compaction"),
    "isSidechain": Source("reserved", "the reader uses it: whether a sub-agent speaks"),
    "isMeta": Source("reserved", "the reader uses it: whether the entry is a prompt"),
    "message": Source("reserved", "content: what was said"),
    "attachment": Source("reserved", "content: what was attached"),
    "data": Source("reserved", "content: what was done so far"),
    "content": Source("reserved", "content: what the client said"),
    "level": Source("reserved", "content: how the client said it"),
    "compactMetadata": Source("reserved", "content: what was compacted"),
    "sessionId": Source("reserved", "identity: which session"),
    "agentId": Source("reserved", "identity: which sub-agent"),
    "slug": Source("reserved", "identity: the session's plan; it may change within a session"),
    "promptId": Source("reserved", "identity: which prompt"),
    "requestId": Source("reserved", "identity: which request; tools count costs by it"),
    "requestRef": Source("reserved", "identity: which recorded request"),
    "toolUseID": Source("reserved", "identity: which call"),
    "parentToolUseID": Source("reserved", "identity: which call"),
    "attributionAgent": Source("reserved", "who: which kind of agent asked"),
    "madeBy": Source("reserved", "who: the model or the client"),
    "timestamp": Source("reserved", "when"),
    "durationMs": Source("reserved", "when: how long it took"),
    "cwd": Source("reserved", "where: it may change from entry to entry"),
    "version": Source("reserved", "which client wrote the entry"),
    "messageCount": Source("reserved", "what happened: the length of the conversation then"),
    "apiBlockIndex": Source("reserved", "what happened: the place in the API's answer"),
    "requestedModel": Source("reserved", "what happened: the model asked for"),
    "promptCacheRequested": Source("reserved", "what happened: the cache asked for"),
    "effort": Source("reserved", "what happened: the effort asked for"),
    "perTurnEffort": Source("reserved", "what happened: the effort asked for"),
}
"""Every key that a schema requires of an entry. Those that are filled come first, in the order in which clients began to write
them, so that filling for one version and then for a later one gives the bytes that filling for the later one gives."""


# The registry


@dataclass
class Seen:
    """The types of values that were seen: for a part of an entry, its keys, and each key's types."""

    tabled: dict[str, set[str]]
    types: dict[tuple[str, str], set[str]] = field(default_factory=dict)

    def entry(self, value: dict[str, Any]) -> None:
        """Notes the values of the parts of an entry that the tables know."""
        kind = value.get("type")
        name = f"system/{value.get('subtype')}" if kind == "system" else str(kind)
        self._part(name, value)
        for key, inner in value.items():
            self._part(f"{name}.{key}", inner)
        message, attachment = value.get("message"), value.get("attachment")
        if isinstance(message, dict):
            self._part(f"{name}.message.usage", message.get("usage"))
            content = message.get("content")
            for block in content if isinstance(content, list) else ():
                if isinstance(block, dict):
                    self._part(f"{name}.block:{block.get('type')}", block)
        if isinstance(attachment, dict):
            self._part(f"attachment[{attachment.get('type')}]", attachment)

    def _part(self, name: str, value: object) -> None:
        if isinstance(value, dict):
            for key in self.tabled.get(name, set()) & value.keys():
                self.types.setdefault((name, key), set()).add(TYPES[type(value[key])])

    def type_of(self, part: str, key: str) -> Schema:
        """The schema of a value."""
        types = self.types.get((part.removeprefix(SUBAGENT), key), set())
        if key == "parentUuid":
            types = types | {"string", "null"}
        if types <= {"null"}:
            return {}
        return {"type": sorted(types) if len(types) > 1 else min(types)}


OTHER_CLIENTS = ("codex", "codex-made", "pi", "pi-made")
"""The folders of the corpus with what other clients wrote."""


def entries(client: Path, corpus: Path) -> Iterator[dict[str, Any]]:
    """The examples, and the entries of the corpus without the files that a redaction damaged."""
    for page in sorted(client.glob("examples-*.md")):
        for block in re.findall(r"```json\n(.*?)```", page.read_text(), re.DOTALL):
            yield json.loads(block)
    manifest = [line.split("\t") for line in (corpus / "MANIFEST.tsv").read_text().splitlines()]
    redacted = {corpus / row[0] for row in manifest if "redaction" in row[3]}
    for file in sorted(set(corpus.rglob("*.jsonl")) - redacted):
        for line in file.read_bytes().split(b"\n"):
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def carried(tables: dict[str, dict[str, Part]]) -> Iterator[tuple[str, dict[str, Part]]]:
    """Each version's table, with the last older measurement of each part that this version did not show."""
    known: dict[str, Part] = {}
    for version, table in tables.items():
        known = known | table
        yield version, known


def schema_of(name: str, table: dict[str, Part], seen: Seen, outer: str, required: set[str], sometimes: set[str]) -> Schema:
    """The schema of one type of entry. Keys that it does not name are allowed."""
    kind = outer.removeprefix(SUBAGENT)
    properties: dict[str, Schema] = {}
    for key in sorted(required | sometimes):
        properties[key] = (
            nested(f"{outer}.{key}", table, seen) if f"{outer}.{key}" in table else seen.type_of(example(outer, table), key)
        )
    properties["type"] = {"const": kind.partition("/")[0]}
    if "/" in kind:
        properties["subtype"] = {"const": kind.partition("/")[2]}
    if kind == "attachment":
        properties["attachment"] = {"type": "object", "required": ["type"], "properties": {"type": {"type": "string"}}}
        if "[" in name:
            properties["attachment"] = nested(name, table, seen)
            properties["attachment"]["properties"]["type"] = {"const": name.partition("[")[2][:-1]}
    if f"{outer}.message" in table:
        blocks = block_schemas(outer, table, seen)
        properties["message"]["properties"]["content"] = {"type": ["array", "string"], "items": {"allOf": blocks}}
    return {"$schema": DRAFT, "type": "object", "required": ordered(required), "properties": properties}


def example(outer: str, table: dict[str, Part]) -> str:
    """The part whose values show the types of a type of entry: a system entry of any subtype shows those of all."""
    if outer.removeprefix(SUBAGENT) != "system":
        return outer
    return next(part for part in table if part.startswith("system/") and "." not in part)


def nested(part: str, table: dict[str, Part], seen: Seen) -> Schema:
    """The schema of an object inside an entry."""
    keys = table[part]
    properties = {
        key: nested(f"{part}.{key}", table, seen) if f"{part}.{key}" in table else seen.type_of(part, key)
        for key in sorted({*keys["always"], *keys["sometimes"]})
    }
    return {"type": "object", "required": sorted(keys["always"]), "properties": properties}


def block_schemas(outer: str, table: dict[str, Part], seen: Seen) -> list[Schema]:
    """A rule for each measured type of content block; blocks of other types pass."""
    rules = []
    for part in sorted(part for part in table if part.startswith(f"{outer}.block:")):
        kind = part.partition(":block:")[2] or part.rpartition("block:")[2]
        rule = nested(part, table, seen)
        rule["required"].remove("type")
        del rule["properties"]["type"]
        rules.append({"if": {"required": ["type"], "properties": {"type": {"const": kind}}}, "then": rule})
    return rules


def ordered(keys: set[str]) -> list[str]:
    """Keys that are filled in the order of the table, then the others."""
    return [key for key in KEYS if key in keys and KEYS[key].way != "reserved"] + sorted(
        key for key in keys if key not in KEYS or KEYS[key].way == "reserved"
    )


def version_schemas(table: dict[str, Part], seen: Seen) -> Iterator[tuple[str, Schema]]:
    """The schemas of one version, by type of entry. `system` and `attachment` are for what was not measured: what every
    measured subtype, and every user and assistant entry, has."""
    for name in sorted(part for part in table if "." not in part):
        outer = name.partition("[")[0]
        if outer == name or outer in table:
            keys = table[outer]
            yield name, schema_of(name, table, seen, outer, set(keys["always"]), set(keys["sometimes"]))
    systems = [table[part] for part in table if part.startswith("system/") and "." not in part]
    if systems:
        measured = [set(part["always"]) for part in (*systems, table["user"], table["assistant"])]
        yield "system", schema_of("system", table, seen, "system", set.intersection(*measured), set())


def registry(client: Path, corpus: Path) -> dict[str, Any]:
    """For each type of entry the version from which on each of its schemas holds, up to the next one."""
    tables: dict[str, dict[str, Part]] = json.loads((client / "keysets.json").read_text())
    tabled: dict[str, set[str]] = {}
    for table in tables.values():
        for part, keys in table.items():
            tabled.setdefault(part.removeprefix(SUBAGENT), set()).update(keys["always"], keys["sometimes"])
    seen = Seen(tabled)
    for entry in entries(client, corpus):
        seen.entry(entry)
    types: dict[str, dict[str, Schema]] = {}
    for version, table in carried(tables):
        for name, schema in version_schemas(table, seen):
            held = types.setdefault(name, {})
            if not held or list(held.values())[-1] != schema:
                held[version] = schema
    unknown = {
        key for held in types.values() for schema in held.values() if "uuid" in schema["required"] for key in schema["required"]
    } - KEYS.keys()
    if unknown:
        sys.exit(f"KEYS says nothing of: {', '.join(sorted(unknown))}")
    return {
        "versions": list(tables),
        "filled": {key: {source.way: source.default} for key, source in KEYS.items() if source.way != "reserved"},
        "types": dict(sorted(types.items())),
    }


def write(client: Path, corpus: Path) -> None:
    """Writes the registry, a line a schema."""
    made = registry(client, corpus)
    lines = []
    for name, held in made["types"].items():
        schemas = ",\n".join(f"   {json.dumps(version)}: {json.dumps(schema)}" for version, schema in held.items())
        lines.append(f"  {json.dumps(name)}: {{\n{schemas}\n  }}")
    head = f' "versions": {json.dumps(made["versions"])},\n "filled": {json.dumps(made["filled"])},\n'
    SCHEMAS.write_text("{\n" + head + ' "types": {\n' + ",\n".join(lines) + "\n }\n}\n")


# What the spec shows

BASE = ("sessionId", "gitBranch", "userType", "cwd", "isSidechain", "parentUuid", "timestamp", "type", "uuid", "version")
ERAS = {"1.0.x": "1.0.128", "2.0.x": "2.0.77", "2.1.0-2.1.77": "2.1.2", "2.1.78-2.1.139": "2.1.78", "2.1.140-2.1.329": "2.1.140"}
"""Each era up to the newest, and the measured version that speaks for it."""
NEWEST = "2.1.330"


def in_trees(made: dict[str, Any]) -> dict[str, dict[str, list[str]]]:
    """For each type of entry that is in the tree and each version that changes it, the required keys."""
    return {
        name: {version: schema["required"] for version, schema in held.items()}
        for name, held in made["types"].items()
        if "[" not in name and "uuid" in next(iter(held.values()))["required"]
    }


def at(held: dict[str, list[str]], version: str, order: list[str]) -> list[str] | None:
    """What a type of entry requires in a version; None before it was seen."""
    older = [one for one in order[: order.index(version) + 1] if one in held]
    return held[older[-1]] if older else None


def changes() -> Iterator[str]:
    """A line for each type of entry of each version whose required keys differ from those before it."""
    made = json.loads(SCHEMAS.read_text())
    order: list[str] = made["versions"]
    for version in order:
        for name, held in in_trees(made).items():
            if version not in held:
                continue
            before = at(held, order[order.index(version) - 1], order) if version != order[0] else None
            if before is None:
                more = [key for key in held[version] if key not in BASE]
                yield f"{version:<8} {name:<23} the {len(BASE)} base keys" + "".join(f" +{key}" for key in more)
            elif set(held[version]) != set(before):
                signs = [f"+{key}" for key in held[version] if key not in before]
                signs += [f"-{key}" for key in before if key not in held[version]]
                yield f"{version:<8} {name:<23} {' '.join(signs)}"


def key_table() -> Iterator[str]:
    """Every key that an entry of the tree needs somewhere, and where backfill takes its value from."""
    for key, source in KEYS.items():
        way = f"default {json.dumps(source.default)}" if source.way == "default" else source.way
        yield f"{key:<21} {way:<19} {source.reason}"


def migration() -> Iterator[str]:
    """What each era lacks of what the newest version requires, by type of entry; then what that is on the corpus."""
    made = json.loads(SCHEMAS.read_text())
    order: list[str] = made["versions"]
    yield f"{'era':<16} {'type':<23} lacks, filled | lacks, reserved"
    for era, version in ERAS.items():
        for name, held in in_trees(made).items():
            then, now = at(held, version, order), at(held, NEWEST, order)
            lacking = [key for key in now or () if then is not None and key not in then]
            if lacking:
                filled = [key for key in lacking if KEYS[key].way != "reserved"]
                reserved = [key for key in lacking if KEYS[key].way == "reserved"]
                yield f"{era:<16} {name:<23} {' '.join(filled) or '-'} | {' '.join(reserved) or '-'}"
    counted = json.loads(COUNTS.read_text())
    yield ""
    yield f"{counted['files']} files, to {counted['target']}"
    costs: dict[str, Any] = counted["eras"]
    yield f"{'':<31}" + "".join(f"{era:>16}" for era in costs)
    for what, title in (("entries", "entries"), ("changed", "filled"), ("bytes", "bytes added")):
        yield f"{title:<31}" + "".join(f"{cost[what]:>16}" for cost in costs.values())
    for what, title in (("added", "filled"), ("missing", "left out")):
        for key in KEYS:
            if any(key in cost[what] for cost in costs.values()):
                yield f"{f'{title}: {key}':<31}" + "".join(f"{cost[what].get(key, '-'):>16}" for cost in costs.values())
    own = counted["own"]
    yield ""
    yield f"held against the schemas of its own version: {own['judged']} lines, {own['rejected']} rejected, {own['unknown']} of"
    yield "a type that was not known yet; rejected for:"
    for what, number in own["why"].items():
        yield f"{number:>8}  {what}"


def era_of(version: tuple[int, ...]) -> str:
    """The era of the client that wrote an entry."""
    if len(version) < 3:
        return "no version"
    if version < (2, 1):
        return "1.0.x" if version < (2, 0) else "2.0.x"
    borders = {"2.1.0-2.1.77": (2, 1, 78), "2.1.78-2.1.139": (2, 1, 140), "2.1.140-2.1.329": (2, 1, 330)}
    return next((era for era, border in borders.items() if version < border), NEWEST)


def count(corpus: Path) -> dict[str, Any]:
    """What it costs to fill every file of the corpus for the newest version; and what the schemas of the version that wrote it
    say of every line."""
    from forkpoint.clients.claude import schemas
    from forkpoint.transcript.format import reader
    from forkpoint.transcript.query import validate
    from forkpoint.transcript.repair.backfill import Cost, Filler

    held = schemas.for_version(NEWEST)
    costs = {era: Cost() for era in (*ERAS, NEWEST, "no version")}
    judgement = validate.Judgement()
    why: dict[str, int] = {}
    every = sorted(corpus.rglob("*.jsonl"))
    files = [file for file in every if file.relative_to(corpus).parts[0] not in OTHER_CLIENTS]
    for file in files:
        transcript = reader.read(file)
        filler = Filler(transcript, held)
        for position, node in enumerate(transcript.nodes):
            filler.fill(position, transcript.line(node.span), costs[era_of(node.entry.version)])
        for failure in validate.validate(transcript, validate.OWN, judgement):
            key = re.sub(r"\.\d+\.", ".N.", failure.key)
            what = f"{failure.type}: {key} {failure.wrong}"
            why[what] = why.get(what, 0) + 1
    return {
        "target": NEWEST,
        "files": len(files),
        "eras": {
            era: {
                "entries": cost.entries,
                "changed": cost.changed,
                "bytes": cost.bytes,
                "added": dict(sorted(cost.added.items())),
                "missing": dict(sorted(cost.missing.items())),
            }
            for era, cost in costs.items()
            if cost.entries
        },
        "own": {
            "judged": judgement.judged,
            "rejected": judgement.rejected,
            "unknown": sum(judgement.unknown.values()),
            "why": dict(sorted(why.items(), key=lambda item: (-item[1], item[0]))),
        },
    }


def main() -> None:
    match sys.argv[1:]:
        case ["--keys"]:
            print("\n".join(key_table()))
        case ["--changes"]:
            print("\n".join(changes()))
        case ["--migration"]:
            print("\n".join(migration()))
        case ["--count", corpus]:
            COUNTS.write_text(json.dumps(count(Path(corpus)), indent=1) + "\n")
        case [client, corpus]:
            write(Path(client), Path(corpus))
        case _:
            sys.exit(__doc__)


if __name__ == "__main__":
    main()
