-- From which operation on each one has a seal: those up to this number were written by a program that made none.

CREATE TABLE sealed (
  since INTEGER NOT NULL
) STRICT;
INSERT INTO sealed SELECT coalesce(max(number), 0) FROM operation;
CREATE TRIGGER sealed_stays BEFORE UPDATE ON sealed BEGIN SELECT RAISE(ABORT, 'append-only: the first seal never changes'); END;
CREATE TRIGGER sealed_is_kept BEFORE DELETE ON sealed BEGIN SELECT RAISE(ABORT, 'append-only: the first seal is never removed'); END;
CREATE TRIGGER sealed_is_new BEFORE INSERT ON sealed BEGIN SELECT RAISE(ABORT, 'append-only: the first seal is there already'); END;
