-- A user's assigned findings, for Home. Few findings have an owner.
CREATE INDEX CONCURRENTLY IF NOT EXISTS migration_finding_owner ON migration_finding (owner_id) WHERE owner_id IS NOT NULL;
