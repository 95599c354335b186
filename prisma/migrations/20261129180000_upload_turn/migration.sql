-- Which page uploads the file of a run. Servers of the previous version ignore it.
ALTER TABLE migration_run ADD COLUMN upload_turn INTEGER NOT NULL DEFAULT 0;
