"""Secrets taken out of what is to be read elsewhere: keys, tokens, addresses, home folders, and what the user names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from forkpoint.ops.refusals import Refusal

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

GUESSES: Final = ("Base64 High Entropy String", "Hex High Entropy String")
"""What the detectors find by chance alone: every uuid and every hash would be one."""
PASSWORD: Final = "password"
OWN: Final = {
    "private key": re.compile(
        r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:[^-]++|-(?!-{3,4} ?END ))*+"
        r"(?:-{4,5} ?END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5})?"
    ),
    "anthropic key": re.compile(r"\bsk-ant-[A-Za-z0-9_-]{16,}+"),
    "api key": re.compile(
        r"\b(?:sk-[A-Za-z0-9_-]{20,}+|AIza[A-Za-z0-9_-]{35}|gh[pousr]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{22,}+"
        r"|hf_[A-Za-z0-9]{20,}+|ya29\.[A-Za-z0-9_-]{20,}+)"
    ),
    "bearer token": re.compile(r"(?i:\bbearer:? |\bauthorization: ?basic )[A-Za-z0-9._~+/=-]{16,}+"),
    PASSWORD: re.compile(
        r"(?P<name>(?i:passw(?:or)?d|passphrase|pwd|[_-]pass)(?:\\{0,4}[\"'])?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}(?:\\{0,4}[\"'])?"
        r"|--(?i:passw(?:or)?d|passphrase|[a-z-]{0,16}token|[a-z-]{0,16}secret"
        r"|[a-z-]{0,16}(?:api|access|auth|secret)-?key)[ =][\"']?"
        r"|(?i:token|secret|api[_-]?key|access[_-]?key|auth[_-]?key|credentials?)(?:\\{0,4}[\"'])?"
        r"[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}"
        r"(?:\\{0,4}[\"'])?(?=[^\s\"'\\,;<>\[\](){}&]{0,64}\d)(?=[^\s\"'\\,;<>\[\](){}&]{8}))"
        r"(?![\w.]{1,64}+\(|(?i:str|string|none|null|true|false|undefined|required|self|this|os|process|config)\b(?![!-])|\$[A-Z({]|--|/)"
        r"(?:(?<=')[^'\\\n]{4,}+|(?<=\")[^\"\\\n]{4,}+|[^\s\"'\\;<>\[\](){}&]{4,}+)"
    ),
    "email address": re.compile(
        r"[\w.%+-]{1,64}+@(?!v?\d{1,4}\.\d)[\w-]{1,63}+(?:\.[\w-]{1,63}+)++|[\w.+-]{1,64}+%40[\w-]{1,63}+(?:\.[\w-]{1,63}+)++"
    ),
    "home folder": re.compile(
        r"(?i:[A-Z]:\\{1,4}Users\\{1,4})[^/\\\"'<>:|*?\n]{1,64}+"
        r"|[/\\](?:home|Users)[/\\]{1,4}[^/\\\s\"'<>:|*?]{1,64}+"
        r"|%2[Ff](?:home|Users)%2[Ff][^/\\\s\"'<>:|*?%&]{1,64}+"
        r"|(?:\b[A-Za-z]-|(?<!\w))-(?:home|Users)-[^/\\\s\"'<>:|*?]{1,200}+"
        r"|(?<![\w/])~[a-z_][a-z0-9_-]{0,31}+(?=/)"
    ),
}
"""What the detectors do not know, or know only a part of."""


Replaced = Callable[[Callable[[Any], str], str], str]
"""Gives a text with each match of an expression replaced."""


class Redactor:
    """Takes secrets out of texts, and counts them by kind. What stands in the place of one names the kind."""

    def __init__(self, patterns: Sequence[str] = ()) -> None:
        """Takes regular expressions of the user's own, as RE2 has them, so that none takes more than linear time. Refuses one
        that is none, and where the detectors are not installed."""
        self.found: Counter[str] = Counter()
        self._detectors = _detectors()
        self._own: list[tuple[str, Replaced]] = [(kind, pattern.sub) for kind, pattern in OWN.items()]
        self._own += [("pattern", _own(pattern)) for pattern in patterns]

    def __call__(self, text: str) -> str:
        """The text without the secrets in it. O(length) for each kind."""
        for kind, replaced in self._own:
            text = replaced(self._mark(kind), text)
        for kind, detector in self._detectors:
            for secret in sorted(_secrets(detector, text), key=len, reverse=True):
                if secret in text and not secret.startswith("[redacted"):
                    self.found[kind] += text.count(secret)
                    text = text.replace(secret, f"[redacted: {kind}]")
        return text

    def _mark(self, kind: str) -> Callable[[Any], str]:
        def mark(found: Any) -> str:
            if not found[0]:
                return ""
            self.found[kind] += 1
            kept = found["name"] or "" if kind == PASSWORD else ""  # a group in a pattern of the user's own keeps nothing
            return f"{kept}[redacted: {kind}]"

        return mark


def _own(pattern: str) -> Replaced:
    import re2  # type: ignore[import-untyped]  # it has no stubs

    options = re2.Options()
    options.log_errors = False
    try:
        found: Replaced = re2.compile(pattern, options).sub
    except re2.error as error:
        raise Refusal(f"--redact-pattern needs a regular expression, not {pattern!r}: {error.args[0]}") from error
    return found


def _detectors() -> list[tuple[str, BasePlugin]]:
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    except ImportError as error:
        raise Refusal("--redact needs the detectors of secrets: pip install 'forkpoint[redact]'") from error
    found: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    return [(kind.lower(), detector()) for kind, detector in sorted(found.items()) if kind not in GUESSES]


def _secrets(detector: BasePlugin, text: str) -> Iterator[str]:
    """What a detector finds in a text; each line is looked at alone, as the detectors expect."""
    for line in text.splitlines() if "\n" in text else [text]:
        yield from (secret for secret in set(detector.analyze_string(line)) if len(secret) > MOST_TRIVIAL)


MOST_TRIVIAL: Final = 5
"""A shorter secret is a word."""
