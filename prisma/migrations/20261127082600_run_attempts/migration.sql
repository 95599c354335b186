-- IDs of processes that may have crashed while working on the run. Replaces "attempts", which servers of the previous version use.
ALTER TABLE migration_run ADD COLUMN attempted_by UUID[] NOT NULL DEFAULT '{}';
