-- Threads, worldlines, events. Triggers keep what never changes from changing.

CREATE TABLE thread (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  made BIGINT NOT NULL
);

-- What the row says of its head and its counters changes with each append, in its transaction.
CREATE TABLE worldline (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  thread BIGINT NOT NULL REFERENCES thread,
  source BIGINT REFERENCES worldline,
  place BIGINT,
  base TEXT,
  depth BIGINT NOT NULL,
  made BIGINT NOT NULL,
  name TEXT,
  discarded BIGINT NOT NULL DEFAULT 0,
  own BIGINT NOT NULL DEFAULT 0,
  head TEXT,
  chain BYTEA NOT NULL,
  open TEXT,
  messages BIGINT NOT NULL,
  last BIGINT,
  queued BIGINT NOT NULL DEFAULT 0,
  running BIGINT NOT NULL DEFAULT 0,
  completed BIGINT NOT NULL DEFAULT 0,
  failed BIGINT NOT NULL DEFAULT 0,
  cancelled BIGINT NOT NULL DEFAULT 0,
  job TEXT,
  CHECK ((source IS NULL) = (place IS NULL) AND (source IS NULL) = (base IS NULL))
) WITH (fillfactor = 50);
CREATE INDEX worldline_of_thread ON worldline (thread, number);
CREATE UNIQUE INDEX worldline_by_name ON worldline (thread, name) WHERE name IS NOT NULL AND discarded = 0;

CREATE TABLE event (
  worldline BIGINT NOT NULL REFERENCES worldline,
  place BIGINT NOT NULL,
  id TEXT NOT NULL UNIQUE,
  parent TEXT,
  at BIGINT NOT NULL,
  legal BIGINT NOT NULL,
  messages BIGINT NOT NULL,
  content BYTEA NOT NULL,
  chain BYTEA NOT NULL,
  body BYTEA NOT NULL,
  PRIMARY KEY (worldline, place)
);

CREATE INDEX legal_point ON event (worldline, place) WHERE legal = 1;

-- Where a worldline's own events first name a tool call ('t' and its id), a part of a message ('m' and its id) or the end of what a
-- merge brought ('s' and its id), by the hash of that.
CREATE TABLE mark (
  word TEXT NOT NULL,
  worldline BIGINT NOT NULL REFERENCES worldline,
  place BIGINT NOT NULL,
  PRIMARY KEY (word, worldline)
);

-- From a message's first part up to before its last one no event is a legal point. Disjoint for one worldline.
CREATE TABLE held (
  worldline BIGINT NOT NULL REFERENCES worldline,
  first BIGINT NOT NULL,
  last BIGINT NOT NULL,
  PRIMARY KEY (worldline, first)
);

CREATE TABLE job (
  id TEXT NOT NULL,
  worldline BIGINT NOT NULL REFERENCES worldline,
  status TEXT NOT NULL,
  PRIMARY KEY (worldline, id)
);

CREATE TABLE operation (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at BIGINT NOT NULL,
  thread BIGINT NOT NULL REFERENCES thread,
  worldline BIGINT REFERENCES worldline,
  kind TEXT NOT NULL,
  says TEXT NOT NULL,
  undoes BIGINT UNIQUE REFERENCES operation
);
CREATE INDEX operation_of_thread ON operation (thread, number);

CREATE FUNCTION append_only() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN RAISE EXCEPTION 'append-only: a row of % never changes and is never removed', TG_TABLE_NAME; END $$;
CREATE TRIGGER thread_stays BEFORE UPDATE OR DELETE ON thread FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER event_stays BEFORE UPDATE OR DELETE ON event FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER operation_stays BEFORE UPDATE OR DELETE ON operation FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER worldline_is_kept BEFORE DELETE ON worldline FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER origin_stays BEFORE UPDATE OF number, id, thread, source, place, base, depth, made ON worldline
FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER thread_is_not_emptied BEFORE TRUNCATE ON thread EXECUTE FUNCTION append_only();
CREATE TRIGGER worldline_is_not_emptied BEFORE TRUNCATE ON worldline EXECUTE FUNCTION append_only();
CREATE TRIGGER event_is_not_emptied BEFORE TRUNCATE ON event EXECUTE FUNCTION append_only();
CREATE TRIGGER operation_is_not_emptied BEFORE TRUNCATE ON operation EXECUTE FUNCTION append_only();

CREATE FUNCTION head_goes_on() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF NEW.own < OLD.own OR (NEW.own = OLD.own AND NEW.head IS DISTINCT FROM OLD.head) THEN
    RAISE EXCEPTION 'append-only: a head only goes on';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER head_goes_on BEFORE UPDATE OF own, head ON worldline FOR EACH ROW EXECUTE FUNCTION head_goes_on();

CREATE FUNCTION event_is_next() RETURNS trigger LANGUAGE plpgsql AS
$$ BEGIN
  IF NEW.place <> (SELECT own FROM worldline WHERE number = NEW.worldline)
     AND NOT EXISTS (SELECT 1 FROM event WHERE worldline = NEW.worldline AND place = NEW.place - 1) THEN
    RAISE EXCEPTION 'append-only: an event stands behind the one before it';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER event_is_next BEFORE INSERT ON event FOR EACH ROW EXECUTE FUNCTION event_is_next();

-- What stands between the lines of a session that was imported up to a place, and goes along when it is exported. The last counts.
CREATE TABLE material (
  number BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  worldline BIGINT NOT NULL REFERENCES worldline,
  place BIGINT NOT NULL,
  body BYTEA NOT NULL
);
CREATE INDEX material_of_worldline ON material (worldline, place, number);
CREATE TRIGGER material_stays BEFORE UPDATE OR DELETE ON material FOR EACH ROW EXECUTE FUNCTION append_only();

-- The state of something outside at an event, by the hash of its bytes.
CREATE TABLE piece (
  hash BYTEA PRIMARY KEY,
  body BYTEA NOT NULL
);
CREATE TABLE snapshot (
  event TEXT NOT NULL REFERENCES event (id),
  name TEXT NOT NULL,
  hash BYTEA NOT NULL REFERENCES piece,
  PRIMARY KEY (event, name)
);
CREATE TRIGGER piece_stays BEFORE UPDATE OR DELETE ON piece FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER snapshot_stays BEFORE UPDATE OR DELETE ON snapshot FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER material_is_not_emptied BEFORE TRUNCATE ON material EXECUTE FUNCTION append_only();
CREATE TRIGGER piece_is_not_emptied BEFORE TRUNCATE ON piece EXECUTE FUNCTION append_only();
CREATE TRIGGER snapshot_is_not_emptied BEFORE TRUNCATE ON snapshot EXECUTE FUNCTION append_only();
