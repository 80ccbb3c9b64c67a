-- Threads, worldlines, events. Triggers keep what never changes from changing.

CREATE TABLE thread (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  made INTEGER NOT NULL
) STRICT;

-- What the row says of its head and its counters changes with each append, in its transaction.
CREATE TABLE worldline (
  number INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  thread INTEGER NOT NULL REFERENCES thread,
  source INTEGER REFERENCES worldline,
  place INTEGER,
  base TEXT,
  depth INTEGER NOT NULL,
  made INTEGER NOT NULL,
  name TEXT,
  discarded INTEGER NOT NULL DEFAULT 0,
  own INTEGER NOT NULL DEFAULT 0,
  head TEXT,
  chain BLOB NOT NULL,
  open TEXT,
  messages INTEGER NOT NULL,
  last INTEGER,
  queued INTEGER NOT NULL DEFAULT 0,
  running INTEGER NOT NULL DEFAULT 0,
  completed INTEGER NOT NULL DEFAULT 0,
  failed INTEGER NOT NULL DEFAULT 0,
  cancelled INTEGER NOT NULL DEFAULT 0,
  job TEXT,
  CHECK ((source IS NULL) = (place IS NULL) AND (source IS NULL) = (base IS NULL))
) STRICT;
CREATE INDEX worldline_of_thread ON worldline (thread, number);
CREATE UNIQUE INDEX worldline_by_name ON worldline (thread, name) WHERE name IS NOT NULL AND NOT discarded;

CREATE TABLE event (
  worldline INTEGER NOT NULL REFERENCES worldline,
  place INTEGER NOT NULL,
  id TEXT NOT NULL UNIQUE,
  parent TEXT,
  at INTEGER NOT NULL,
  legal INTEGER NOT NULL,
  messages INTEGER NOT NULL,
  content BLOB NOT NULL,
  chain BLOB NOT NULL,
  body BLOB NOT NULL,
  PRIMARY KEY (worldline, place)
) STRICT, WITHOUT ROWID;

CREATE INDEX legal_point ON event (worldline, place) WHERE legal = 1;

-- Where a worldline's own events first name a tool call ('t' and its id), a part of a message ('m' and its id) or the end of what a
-- merge brought ('s' and its id), by the hash of that.
CREATE TABLE mark (
  word TEXT NOT NULL,
  worldline INTEGER NOT NULL REFERENCES worldline,
  place INTEGER NOT NULL,
  PRIMARY KEY (word, worldline)
) STRICT, WITHOUT ROWID;

-- From a message's first part up to before its last one no event is a legal point. Disjoint for one worldline.
CREATE TABLE held (
  worldline INTEGER NOT NULL REFERENCES worldline,
  first INTEGER NOT NULL,
  last INTEGER NOT NULL,
  PRIMARY KEY (worldline, first)
) STRICT, WITHOUT ROWID;

CREATE TABLE job (
  id TEXT NOT NULL,
  worldline INTEGER NOT NULL REFERENCES worldline,
  status TEXT NOT NULL,
  PRIMARY KEY (worldline, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE operation (
  number INTEGER PRIMARY KEY,
  at INTEGER NOT NULL,
  thread INTEGER NOT NULL REFERENCES thread,
  worldline INTEGER REFERENCES worldline,
  kind TEXT NOT NULL,
  says TEXT NOT NULL,
  undoes INTEGER UNIQUE REFERENCES operation
) STRICT;
CREATE INDEX operation_of_thread ON operation (thread, number);

CREATE TRIGGER thread_stays BEFORE UPDATE ON thread BEGIN SELECT RAISE(ABORT, 'append-only: a thread never changes'); END;
CREATE TRIGGER thread_is_kept BEFORE DELETE ON thread BEGIN SELECT RAISE(ABORT, 'append-only: a thread is never removed'); END;
CREATE TRIGGER event_stays BEFORE UPDATE ON event BEGIN SELECT RAISE(ABORT, 'append-only: an event never changes'); END;
CREATE TRIGGER event_is_kept BEFORE DELETE ON event BEGIN SELECT RAISE(ABORT, 'append-only: an event is never removed'); END;
CREATE TRIGGER operation_stays BEFORE UPDATE ON operation BEGIN SELECT RAISE(ABORT, 'append-only: an operation never changes'); END;
CREATE TRIGGER operation_is_kept BEFORE DELETE ON operation BEGIN SELECT RAISE(ABORT, 'append-only: an operation is never removed'); END;
CREATE TRIGGER worldline_is_kept BEFORE DELETE ON worldline BEGIN SELECT RAISE(ABORT, 'append-only: a worldline is never removed'); END;
CREATE TRIGGER origin_stays BEFORE UPDATE OF number, id, thread, source, place, base, depth, made ON worldline
BEGIN SELECT RAISE(ABORT, 'append-only: where a worldline comes from never changes'); END;
CREATE TRIGGER head_goes_on BEFORE UPDATE OF own, head ON worldline
WHEN NEW.own < OLD.own OR (NEW.own = OLD.own AND NEW.head IS NOT OLD.head)
BEGIN SELECT RAISE(ABORT, 'append-only: a head only goes on'); END;
CREATE TRIGGER event_is_next BEFORE INSERT ON event
WHEN NEW.place <> (SELECT own FROM worldline WHERE number = NEW.worldline) AND NOT EXISTS
  (SELECT 1 FROM event WHERE worldline = NEW.worldline AND place = NEW.place - 1)
BEGIN SELECT RAISE(ABORT, 'append-only: an event stands behind the one before it'); END;

-- What stands between the lines of a session that was imported up to a place, and goes along when it is exported. The last counts.
CREATE TABLE material (
  number INTEGER PRIMARY KEY,
  worldline INTEGER NOT NULL REFERENCES worldline,
  place INTEGER NOT NULL,
  body BLOB NOT NULL
) STRICT;
CREATE INDEX material_of_worldline ON material (worldline, place, number);
CREATE TRIGGER material_stays BEFORE UPDATE ON material BEGIN SELECT RAISE(ABORT, 'append-only: material never changes'); END;
CREATE TRIGGER material_is_kept BEFORE DELETE ON material BEGIN SELECT RAISE(ABORT, 'append-only: material is never removed'); END;

-- The state of something outside at an event, by the hash of its bytes.
CREATE TABLE piece (
  hash BLOB PRIMARY KEY,
  body BLOB NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE snapshot (
  event TEXT NOT NULL REFERENCES event (id),
  name TEXT NOT NULL,
  hash BLOB NOT NULL REFERENCES piece,
  PRIMARY KEY (event, name)
) STRICT, WITHOUT ROWID;
CREATE TRIGGER piece_stays BEFORE UPDATE ON piece BEGIN SELECT RAISE(ABORT, 'append-only: a piece never changes'); END;
CREATE TRIGGER snapshot_stays BEFORE UPDATE ON snapshot BEGIN SELECT RAISE(ABORT, 'append-only: a snapshot never changes'); END;
CREATE TRIGGER snapshot_is_kept BEFORE DELETE ON snapshot BEGIN SELECT RAISE(ABORT, 'append-only: a snapshot is never removed'); END;
CREATE TRIGGER piece_is_kept BEFORE DELETE ON piece BEGIN SELECT RAISE(ABORT, 'append-only: a piece is never removed'); END;
