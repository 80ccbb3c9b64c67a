"""The pictures of the README, which a browser takes: the tree of a sample, as its log has it, and a page of the site."""

from __future__ import annotations

import sys
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / ".build" / "site"
PICTURES = ROOT / "spec" / "pictures"
SAMPLE = ROOT / "tests" / "samples" / "garden.jsonl"
CHROMIUM = "/usr/bin/chromium"
PAGE = """<!doctype html><meta charset="utf-8"><body style="margin: 0; background: white">
<pre class="mermaid" style="display: inline-block; margin: 0; padding: 12px; visibility: visible">{}</pre>
<script src="{}/_static/diagrams.js" defer></script>"""


def tree() -> str:
    """The diagram of a sample: its entries, its branches, and where it can be forked."""
    import forkpoint

    session = forkpoint.open(str(SAMPLE))
    prompts = {point.uuid: point.text for point in session.tree().prompts}
    forks = {fork.uuid for fork in session.tree().forks}
    legal = session.outline.survey.legal
    lines = ["graph TD", "classDef prompt fill:#dbe7ff,stroke:#2757dd", "classDef legal fill:#ddf4dd,stroke:#2a8a2a"]
    lines += ["classDef fork fill:#2a8a2a,stroke:#1c5c1c,color:#fff", "classDef step fill:#f6f6f6,stroke:#bbbbbb"]
    names = {entry.uuid: f"e{number}" for number, entry in enumerate(session.log)}
    for number, entry in enumerate(session.log):
        kinds = {type(block).__name__ for block in entry.blocks}
        kind = "fork" if entry.uuid in forks else "legal" if legal[number] else "prompt" if entry.uuid in prompts else "step"
        what = "a tool's result" if "Result" in kinds else "a tool call" if "Use" in kinds else "assistant"
        text = prompts.get(entry.uuid, what) + (" ✓" if legal[number] else "") + (" fork here" if kind == "fork" else "")
        lines.append(f'{names[entry.uuid]}["{text}"]:::{kind}')
        if entry.parent is not None:
            lines.append(f"{names[entry.parent]} --> {names[entry.uuid]}")
    return "\n".join(lines)


def take_tree(browser: Browser) -> None:
    page = browser.new_page(color_scheme="light", viewport={"width": 900, "height": 900}, device_scale_factor=1)
    made = SITE / "tree.html"
    made.write_text(PAGE.format(tree(), "."), encoding="utf-8")
    try:
        page.goto(made.as_uri())
        page.wait_for_selector("pre[data-drawn] svg")
        page.locator("pre").screenshot(path=PICTURES / "tree.png")
    finally:
        made.unlink()


def take_site(browser: Browser) -> None:
    page = browser.new_page(color_scheme="light", viewport={"width": 1200, "height": 760}, device_scale_factor=1)
    page.goto((SITE / "spec" / "05-balance.html").as_uri())
    page.wait_for_selector("pre[data-drawn] svg")
    page.screenshot(path=PICTURES / "site.png")


def main() -> int:
    PICTURES.mkdir(exist_ok=True)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        take_tree(browser)
        take_site(browser)
        browser.close()
    return 0


if __name__ == "__main__":
    sys.path.insert(0, str(ROOT / "python" / "src"))
    sys.exit(main())
