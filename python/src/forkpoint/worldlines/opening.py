"""The database that a URL names, and the URL as it may be shown."""

from __future__ import annotations

from forkpoint.worldlines.database import SERVERS, Database
from forkpoint.worldlines.faults import NoStore


def without_password(url: str) -> str:
    """A URL as it may be shown: of a server what says where it is and who asks, and nothing else."""
    if url.startswith("sqlite:"):
        return url
    scheme, _, rest = url.partition("://")
    if scheme not in SERVERS:
        return f"{scheme}://…" if rest else "…"
    from forkpoint.worldlines.postgresql import known  # it needs a driver that not everybody has

    parts = known(url)
    host = ",".join(f"{host}:{port}" if port else host for host, port in parts.hosts)
    return f"{scheme}://{parts.user}@{host}/{parts.name}" if parts.user else f"{scheme}://{host}/{parts.name}"


def open_database(url: str, *, create: bool, wait: float, durable: bool) -> Database:
    """The database that a URL names: ``sqlite:///path``, relative to the working folder, or ``postgresql://...``."""
    if url.startswith("sqlite:///"):
        from forkpoint.worldlines.sqlite import Sqlite

        return Sqlite(url, create=create, wait=wait, durable=durable)
    if url.partition("://")[0] in SERVERS:
        try:
            from forkpoint.worldlines.postgresql import Postgresql
        except ModuleNotFoundError as error:
            raise NoStore(f"{error.name} is not installed: pip install 'forkpoint[postgres]'") from error
        return Postgresql(url, create=create, wait=wait, durable=durable)
    looks = "/" in url or url.endswith((".db", ".sqlite", ".sqlite3"))  # any other text may be a password
    path = looks and "@" not in url and ":" not in url
    shown, cure = (url, f"; sqlite:///{url} names the file") if path else (without_password(url), "")
    raise NoStore(f"{shown!r} names no store: a store is sqlite:///PATH or postgresql://HOST/NAME{cure}")
