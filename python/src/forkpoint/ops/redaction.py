"""Secrets taken out of what is to be read elsewhere: keys, tokens, addresses, home folders, and what the user names."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from forkpoint.answers.base import Shape
from forkpoint.answers.refusals import Refusal

if TYPE_CHECKING:
    from detect_secrets.plugins.base import BasePlugin

GUESSES: Final = ("Base64 High Entropy String", "Hex High Entropy String")
"""What the detectors find by chance alone: every uuid and every hash would be one."""
PASSWORD: Final = "password"
COOKIE: Final = "cookie"
LOGIN: Final = "login"
"""Of these what names the secret stays, and only the secret goes."""
OWN: Final = {
    "private key": re.compile(
        r"-{4,5} ?BEGIN (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5}(?:[^-]++|-(?!-{3,4} ?END ))*+"
        r"(?:-{4,5} ?END (?:[A-Z0-9]{1,12} ){0,3}PRIVATE KEY(?: BLOCK)? ?-{4,5})?"
    ),
    "anthropic key": re.compile(r"\bsk-ant-[A-Za-z0-9_-]{16,}+"),
    "api key": re.compile(
        r"\b(?:sk-[A-Za-z0-9_-]{20,}+|AIza[A-Za-z0-9_-]{35}|gh[pousr]_[A-Za-z0-9]{36,}+|github_pat_[A-Za-z0-9_]{22,}+"
        r"|hf_[A-Za-z0-9]{20,}+|ya29\.[A-Za-z0-9_-]{20,}+|gl(?:pat|oas|dt|rt|ptt|cbt|ft|soat|agent|imt)-[A-Za-z0-9_.-]{20,}+"
        r"|npm_[A-Za-z0-9]{30,}+|do[opr]_v1_[a-f0-9]{32,}+|(?:xai|pplx)-[A-Za-z0-9]{20,}+|(?:gsk|r8|ntn|figd|lin_api|sbp)_[\w-]{20,}+"
        r"|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}+|dapi[a-f0-9]{32}|GOCSPX-[\w-]{20,}+|hv[sbr]\.[\w-]{20,}+"
        r"|[spr]k_(?:test|live)_[A-Za-z0-9]{10,}+|whsec_[A-Za-z0-9+/=]{20,}+|dckr_[po]at_[\w-]{20,}+|pul-[a-f0-9]{32,}+"
        r"|sntry[su]_[A-Za-z0-9+/=_-]{20,}+|ATATT[\w=-]{20,}+|AGE-SECRET-KEY-1[A-Z0-9]{40,}+|xapp-[\w-]{20,}+|PMAK-[\w-]{20,}+"
        r"|rubygems_[a-f0-9]{32,}+|tskey-[\w-]{16,}+|nfp_[A-Za-z0-9]{30,}+)"
    ),
    "json web token": re.compile(r"\beyJ[\w-]{8,256}+\.eyJ[\w-]{4,}+(?:\.[\w-]*+)?"),
    "webhook": re.compile(
        r"https://(?:discord(?:app)?\.com/api/webhooks/\d{1,30}/[\w-]{8,}+|hooks\.slack\.com/(?:services|workflows)/[\w/-]{8,}+)"
    ),
    "bearer token": re.compile(r"(?i:\bbearer:? |\bauthorization: ?(?:basic|token) )[A-Za-z0-9._~+/=-]{8,}+"),
    COOKIE: re.compile(r"(?P<name>\b(?i:set-)?(?i:cookie)[\"']?: ?[\"']?)(?!\[redacted)[^\s=\"']{1,64}+=[^\"'\\\n]{4,}+"),
    LOGIN: re.compile(
        r"(?P<name>\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}+://[^\s:/@\"'<>]{0,64}+:)(?!//|\[redacted)[^\s@/\"'<>]{1,200}+(?=@)"
        r"|(?P<curl>\b(?:curl|wget|https?)\b[^\n|;&]{0,200}? (?:-u|--user)[ =]?[\"']?[^\s:\"'/]{1,64}+:)"
        r"(?!\[redacted)[^\s\"'@]{3,}+"
        r"|(?P<client>\b(?:mysql\w{0,10}|mariadb\w{0,10})\b[^\n|;&]{0,120}? -p|\bsshpass +-p ?[\"']?)"
        r"(?![ \"']|\[redacted)[^\s\"']{4,}+"
    ),
    PASSWORD: re.compile(
        r"(?P<name>(?i:passw(?:or)?d|passphrase|pwd|[_-]pass)(?:\\{0,4}[\"'])?[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}(?:\\{0,4}[\"'])?"
        r"|--(?i:passw(?:or)?d|passphrase|[a-z-]{0,16}token|[a-z-]{0,16}secret"
        r"|[a-z-]{0,16}(?:api|access|auth|secret)-?key)[ =][\"']?"
        r"|(?i:token|secret(?:[_-]?(?:access[_-]?)?key(?:[_-]?base)?)?|(?:api|access|auth|private|signing|encryption)[_-]?key"
        r"|credentials?)(?:\\{0,4}[\"'])?"
        r"[ \t]{0,3}(?::=|=>|[:=])[ \t]{0,3}"
        r"(?:\\{0,4}[\"'])?(?=[^\s\"'\\,;<>\[\](){}&]{0,64}\d)(?=[^\s\"'\\,;<>\[\](){}&]{8}))"
        r"(?![\w.]{1,64}+\(|(?i:str|string|none|null|true|false|undefined|required|self|this|os|process|config)\b(?![!-])|\$[A-Z({]|--|/)"
        r"(?:(?<=')[^'\\\n]{4,}+|(?<=\")[^\"\\\n]{4,}+|[^\s\"'\\;<>\[\](){}&]{4,}+)"
    ),
    "email address": re.compile(
        r"[\w.%+-]{1,64}+@(?!v?\d{1,4}\.\d)[\w-]{1,63}+(?:\.[\w-]{1,63}+)++|[\w.+-]{1,64}+%40[\w-]{1,63}+(?:\.[\w-]{1,63}+)++"
    ),
    "public ip (ipv6)": re.compile(r"(?<![\w:])[23][0-9a-fA-F]{3}:(?:[0-9a-fA-F]{0,4}:){1,6}[0-9a-fA-F]{1,4}(?![\w:])"),
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
            named = found.groupdict() if kind in (PASSWORD, COOKIE, LOGIN) else {}  # one of the user's own keeps nothing
            kept = next((text for text in named.values() if text), "")
            return f"{kept}[redacted: {kind}]"

        return mark


def whole(answer: Shape, redact: Callable[[str], str]) -> None:
    """Takes secrets out of every text of an answer, in place. O(length)."""
    for name in answer.__struct_fields__:
        setattr(answer, name, _redacted(getattr(answer, name), redact))


def _redacted(value: Any, redact: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return redact(value)
    if isinstance(value, Shape):
        whole(value, redact)
    elif isinstance(value, list):
        return [_redacted(each, redact) for each in value]
    elif isinstance(value, dict):
        return {key: _redacted(each, redact) for key, each in value.items()}
    return value


def _own(pattern: str) -> Replaced:
    import re2  # type: ignore[import-untyped]  # it has no stubs

    options = re2.Options()
    options.log_errors = False
    try:
        found: Replaced = re2.compile(pattern, options).sub
    except (re2.error, UnicodeEncodeError) as error:
        why = "it is no text" if isinstance(error, UnicodeEncodeError) else error.args[0]
        raise Refusal(f"--redact-pattern needs a regular expression, not {pattern!r}: {why}") from error
    return found


def _detectors() -> list[tuple[str, BasePlugin]]:
    try:
        from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class
    except ImportError as error:
        raise Refusal("--redact needs the detectors of secrets", cure="pip install 'forkpoint[redact]'") from error
    found: Mapping[str, type[BasePlugin]] = get_mapping_from_secret_type_to_class()
    return [(kind.lower(), detector()) for kind, detector in sorted(found.items()) if kind not in GUESSES]


def _secrets(detector: BasePlugin, text: str) -> Iterator[str]:
    """What a detector finds in a text; each line is looked at alone, as the detectors expect."""
    for line in text.splitlines() if "\n" in text else [text]:
        yield from (secret for secret in set(detector.analyze_string(line)) if len(secret) > MOST_TRIVIAL)


MOST_TRIVIAL: Final = 5
"""A shorter secret is a word."""
