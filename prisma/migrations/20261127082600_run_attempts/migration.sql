-- The processes that may have ended in the middle of their work on the run. Replaces "attempts", which servers of the version before use.
ALTER TABLE migration_run ADD COLUMN attempted_by UUID[] NOT NULL DEFAULT '{}';
