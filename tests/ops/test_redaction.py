"""Secrets taken out of what is to be read elsewhere; the tree stays as it is."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from forkpoint.answers.refusals import Refusal
from forkpoint.ops import redaction
from program import answer, call
from strategies_store import entry, say

pytest.importorskip("detect_secrets", reason="the lowest versions are tried without it")

BODY = "MIIEpAIBAAKCAQEA" * 4
SECRETS = {
    "anthropic key": "sk-ant-api03-" + "aB3" * 12,
    "api key": "ghp_" + "a1B2" * 9,
    "aws access key": "AKIA" + "ABCDEFGHIJKLMNOP",
    "bearer token": "Bearer " + "abc.DEF-123" * 3,
    "email address": "ada.lovelace+notes@mail.example.org",
    "home folder": "/home/ada",
    "private key": f"-----BEGIN RSA PRIVATE KEY-----\n{BODY}\n{BODY}\n-----END RSA PRIVATE KEY-----",
    "slack token": "xoxb-1234-5678-abcdefghijkl",
    "public ip (ipv4)": "93.184.216.34",
    "json web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.abcDEF123456",
    "basic auth credentials": "https://ada:correcthorse@example.org/",
    "secret keyword": 'password = "correct-horse-battery"',
    "hub key": "hf_" + "aB3" * 9,
    "cloud token": "ya29." + "aB3-" * 9,
    **{
        prefix: prefix + "a1b2" * 16
        for prefix in (
            *(
                "glpat-",
                "npm_",
                "dop_v1_",
                "xai-",
                "gsk_",
                "r8_",
                "pplx-",
                "lin_api_",
                "ntn_",
                "figd_",
                "shpat_",
                "GOCSPX-",
                "hvs.",
            ),
            *(
                "sbp_",
                "sk_test_",
                "rk_live_",
                "whsec_",
                "dckr_pat_",
                "pul-",
                "sntrys_",
                "ATATT3x",
                "xapp-1-",
                "rubygems_",
                "tskey-auth-",
            ),
        )
    },
    "databricks": "dapi" + "a1b2" * 8,
    "age": "AGE-SECRET-KEY-1" + "QZRY" * 14,
    "webhook": "https://discord.com/api/webhooks/123456789012345678/" + "a1_B-" * 12,
    "slack webhook": "https://hooks.slack.com/services/T00000000/B00000000/" + "aB1" * 8,
    "ipv6": "2001:db8:85a3::8a2e:370:7334",
}
PLAIN = [
    "the rate limit is 40 requests a minute",
    "3f2a9c1e-0000-4000-8000-000000000000",
    "127.0.0.1 and 10.0.0.7 are nobody's",
    "def home(self): return self.users/here",
    "sk-learn, git@, a@b",
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "max_tokens=4096, tokens: 1234567",
    "def login(password: str, token: str) -> None:",
    "password = getpass(), --key $KEY, PWD=$(pwd)",
    "GET /users/17, my-home-page, about ~80/100",
    "react@18.2.0, actions/checkout@v4.1.0",
    "--monkey banana --sort-key name --primary-key id, pwd: /tmp/build",
    "mysql -p notes, mkdir -p build, curl -u, http://localhost:8080/path@v2, a cookie: baked",
    "at 12:30:45 std::map, 2024: a year, ratio 2000:1",
    "secret_key = os.environ['X'], the private key: see below, xai-ops, pul-request",
]


@pytest.mark.parametrize("kind", sorted(SECRETS))
@pytest.mark.parametrize("around", ["{}", "before {} after", '{{"key": "{}"}}', "a line\n{}\nand another"])
def test_a_secret_is_taken_out(kind: str, around: str) -> None:
    redact = redaction.Redactor()
    shown = redact(around.format(SECRETS[kind]))
    secret = {"secret keyword": "correct-horse", "private key": BODY, "basic auth credentials": "correcthorse"}.get(
        kind, SECRETS[kind]
    )
    assert secret not in shown
    assert sum(redact.found.values()) >= 1
    assert "[redacted: " in shown


def test_every_form_of_a_tree_and_the_page_of_a_diff(tmp_path: Path) -> None:
    secret = "ghp_" + "a1B2" * 9
    lines = [
        entry("p", None, message=say(f"use {secret} here")),
        entry("a", "p", "assistant", message={"id": "m", "role": "assistant", "content": [{"type": "text", "text": secret}]}),
        entry("q", "a", message=say(f"not {secret}")),
        entry("w", "a", message=say(f"again {secret}")),
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    for form in ([], ["--mermaid"], ["--dot"], ["--json"]):
        shown = call("tree", path, "--redact", *form)
        assert shown.code == 0
        assert secret[:12] not in shown.stdout
        assert "redacted" in shown.stdout
        assert "api key" in shown.stderr
        assert "a1B2a1B2" in call("tree", path, *form).stdout
        assert "a1B2a1B2" not in shown.stdout
    shown = call("diff", path, path, "--at-a", "q", "--at-b", "w", "--html", "-", "--redact")
    assert shown.code == 0
    assert secret not in shown.stdout
    assert "[redacted: api key]" in shown.stdout
    assert "--redact goes with --html" in call("diff", path, path, "--redact").stderr


@pytest.mark.parametrize(
    "text",
    [
        "DB_PASSWORD=hunter2x",
        "SECRET_KEY=hunter2x",
        "SECRET_KEY_BASE=hunter2x9hunter2x",
        "AWS_SECRET_ACCESS_KEY=hunter2x9",
        "redis://:hunter2x@cache:6379/0",
        "postgresql://ada:hunter2x@db/notes",
        "Authorization: token hunter2x9",
        "Cookie: sessionid=hunter2x; theme=dark",
        "mysql -uada -phunter2x notes",
        "curl -s -u ada:hunter2x https://example.org",
        "sshpass -p hunter2x ssh host",
        "export STRIPE_API_KEY=hunter2x9",
        "mysql --password hunter2x -u root",
        "deploy --auth-token=hunter2x",
        "password: hunter2x",
        r"{\"password\": \"hunter2x\"}",
        '{"secret": "hunter2x"}',
        "Authorization: Basic hunter2xhunter2xhunter2x",
        "Bearer: hunter2xhunter2xhunter2x",
        "export PGPASSWORD='correct hunter2x'",
        "DB_PASS=hunter2x",
        "password := hunter2x",
        '"password" => "a hunter2x b"',
        "password=ab,hunter2x",
    ],
)
def test_a_password_beside_its_name(text: str) -> None:
    redact = redaction.Redactor()
    shown = redact(text)
    assert "hunter2x" not in shown
    assert "[redacted: " in shown
    assert redact(shown) == shown


@pytest.mark.parametrize("text", PLAIN)
def test_what_is_no_secret_stays(text: str) -> None:
    redact = redaction.Redactor()
    assert redact(text) == text
    assert not redact.found


def test_own_patterns() -> None:
    redact = redaction.Redactor([r"ACME-\d+", "x*"])
    assert redact("see ACME-1234 and ACME-7") == "see [redacted: pattern] and [redacted: pattern]"
    assert redact.found["pattern"] == 2
    with pytest.raises(Refusal, match="regular expression"):
        redaction.Redactor(["("])


@pytest.mark.parametrize(
    "path",
    [
        r"C:\Users\ada\x",
        r"C:\\Users\\John Smithers\\x",
        "/Users/mary.ann-smithson/x",
        "/home/ann-leesecret/x",
        "/mnt/c/Users/alicewonder/x",
        "/var/home/carolking/x",
        "C--Users-davegrohl-x",
        "-home-ada-x",
        r"\\srv\home\frank\x",
        "file:///%2Fhome%2Fann%2Fx",
        r"c:\users\ann\x",
        "~ann/x",
        "-home-ann-leesecret-x",
    ],
)
def test_home_folders_of_other_systems(path: str) -> None:
    shown = redaction.Redactor()(f"in {path} it stands")
    assert "[redacted: home folder]" in shown
    names = ["ada", "John", "Smithers", "mary", "ann", "smithson", "leesecret", "alicewonder", "carolking", "davegrohl", "frank"]
    assert not [name for name in names if name in shown and name not in "stands"]


@pytest.mark.parametrize("text", ["ann%40example.org", "ann@b\u00fccher.example"])
def test_addresses_of_other_kinds(text: str) -> None:
    assert redaction.Redactor()(f"to {text}.") == "to [redacted: email address]."


def test_a_key_in_another_frame() -> None:
    key = f"---- BEGIN SSH2 ENCRYPTED PRIVATE KEY ----\n{BODY}\n---- END SSH2 ENCRYPTED PRIVATE KEY ----"
    assert redaction.Redactor()(f"a {key} b") == "a [redacted: private key] b"


def test_an_encrypted_key() -> None:
    head = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,AB\n\n"
    key = f"{head}{BODY}\n-----END RSA PRIVATE KEY-----"
    assert redaction.Redactor()(f"a {key} b") == "a [redacted: private key] b"
    assert BODY not in redaction.Redactor()(key[:-20])


@given(st.text(max_size=200))
def test_any_text(text: str) -> None:
    """What was taken out once is not taken out again."""
    redact = redaction.Redactor()
    once = redact(text)
    assert redact(once) == once


def test_print_and_page(tmp_path: Path) -> None:
    secret = SECRETS["anthropic key"]
    content = [{"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": f"curl -H {secret}"}}]
    lines = [
        entry("a", None, message=say(f"use {secret}, says ada@example.org")),
        entry("b", "a", "assistant", message={"id": "m", "content": content}),
        entry("c", "b", message={"content": [{"type": "tool_result", "tool_use_id": "t", "content": f"ok {secret}"}]}),
    ]
    path = tmp_path / "s.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    printed = call("print", path, "--redact", "--tools")
    assert secret in call("print", path, "--tools").stdout
    assert secret not in printed.stdout
    assert re.search(r"redacted: \d anthropic key, \d email address|redacted: .*anthropic key", printed.stderr)
    assert secret not in json.dumps(answer("print", path, "--redact"))
    out = tmp_path / "page.html"
    made = call("tree", path, "--html", out, "--redact", "--redact-pattern", "curl")
    assert made.code == 0
    assert "pattern" in made.stderr
    assert secret not in out.read_text()
    assert secret in call("tree", path, "--html", "-").stdout  # the first words of the prompt stand in the tree
    assert secret not in call("tree", path, "--redact").stdout
    assert call("print", path, "--redact-pattern", "(").code == 2


def test_nothing_was_found(tmp_path: Path) -> None:
    path = tmp_path / "s.jsonl"
    path.write_text(json.dumps(entry("a", None)) + "\n")
    assert "redacted: nothing was found" in call("print", path, "--redact").stderr
