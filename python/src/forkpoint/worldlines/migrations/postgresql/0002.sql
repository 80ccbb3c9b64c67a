-- Nothing to do here: no statement of this database replaces a row without asking its triggers.
SELECT 1;
