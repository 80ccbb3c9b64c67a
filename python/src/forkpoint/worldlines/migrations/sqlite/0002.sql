-- A row that is there is not replaced either: INSERT OR REPLACE removes rows without asking the triggers of a removal.

CREATE TRIGGER thread_is_new BEFORE INSERT ON thread
WHEN EXISTS (SELECT 1 FROM thread WHERE id = NEW.id OR number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'append-only: a thread is there already'); END;
CREATE TRIGGER worldline_is_new BEFORE INSERT ON worldline
WHEN EXISTS (SELECT 1 FROM worldline WHERE id = NEW.id) OR EXISTS (SELECT 1 FROM worldline WHERE number = NEW.number)
  OR EXISTS (SELECT 1 FROM worldline WHERE thread = NEW.thread AND name = NEW.name AND name IS NOT NULL AND NOT discarded)
BEGIN SELECT RAISE(ABORT, 'append-only: a worldline of this id or name is there already'); END;
CREATE TRIGGER name_is_free BEFORE UPDATE OF name, discarded ON worldline
WHEN NOT NEW.discarded AND EXISTS (SELECT 1 FROM worldline
  WHERE thread = NEW.thread AND name = NEW.name AND name IS NOT NULL AND NOT discarded AND number <> NEW.number)
BEGIN SELECT RAISE(ABORT, 'append-only: a worldline of this name is there already'); END;
CREATE TRIGGER event_is_new BEFORE INSERT ON event
WHEN EXISTS (SELECT 1 FROM event WHERE id = NEW.id)
  OR EXISTS (SELECT 1 FROM event WHERE worldline = NEW.worldline AND place = NEW.place)
BEGIN SELECT RAISE(ABORT, 'append-only: an event of this id or place is there already'); END;
CREATE TRIGGER operation_is_new BEFORE INSERT ON operation
WHEN EXISTS (SELECT 1 FROM operation WHERE number = NEW.number)
  OR EXISTS (SELECT 1 FROM operation WHERE undoes = NEW.undoes)
BEGIN SELECT RAISE(ABORT, 'append-only: an operation is there already'); END;
CREATE TRIGGER material_is_new BEFORE INSERT ON material
WHEN EXISTS (SELECT 1 FROM material WHERE number = NEW.number)
BEGIN SELECT RAISE(ABORT, 'append-only: material is there already'); END;
CREATE TRIGGER piece_is_new BEFORE INSERT ON piece
WHEN EXISTS (SELECT 1 FROM piece WHERE hash = NEW.hash)
BEGIN SELECT RAISE(ABORT, 'append-only: a piece is there already'); END;
CREATE TRIGGER snapshot_is_new BEFORE INSERT ON snapshot
WHEN EXISTS (SELECT 1 FROM snapshot WHERE event = NEW.event AND name = NEW.name)
BEGIN SELECT RAISE(ABORT, 'append-only: a snapshot is there already'); END;
