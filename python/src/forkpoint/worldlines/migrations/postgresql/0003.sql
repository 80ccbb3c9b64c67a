-- From which operation on each one has a seal: those up to this number were written by a program that made none.

CREATE TABLE sealed (
  since BIGINT NOT NULL
);
INSERT INTO sealed SELECT coalesce(max(number), 0) FROM operation;
CREATE TRIGGER sealed_stays BEFORE INSERT OR UPDATE OR DELETE ON sealed FOR EACH ROW EXECUTE FUNCTION append_only();
CREATE TRIGGER sealed_is_not_emptied BEFORE TRUNCATE ON sealed EXECUTE FUNCTION append_only();
