-- AlterTable
ALTER TABLE "migration_run" ADD COLUMN     "company_changes" JSONB NOT NULL DEFAULT '[]',
ADD COLUMN     "purged_date" TIMESTAMPTZ(3),
ADD COLUMN     "purging" BOOLEAN NOT NULL DEFAULT false,
ADD COLUMN     "roll_back" JSONB;

-- What rolling back took out is kept append-only for as long as the run has its originals. The function deletes with its owner's
-- rights, so that the application needs no DELETE on the table, and only where the run was marked first.
CREATE FUNCTION guard_migration_removal_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM migration_run WHERE id = OLD.run_id AND purging AND purged_date IS NOT NULL) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'migration_removal is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
DROP TRIGGER migration_removal_append_only ON migration_removal;
CREATE TRIGGER migration_removal_no_update BEFORE UPDATE ON migration_removal FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER migration_removal_no_delete BEFORE DELETE ON migration_removal FOR EACH ROW EXECUTE FUNCTION guard_migration_removal_delete();

CREATE FUNCTION purge_migration_removals(purged_run BIGINT, at_most INTEGER) RETURNS INTEGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  removed INTEGER;
BEGIN
  DELETE FROM migration_removal WHERE id IN (SELECT id FROM migration_removal WHERE run_id = purged_run LIMIT at_most);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $$;
REVOKE ALL ON FUNCTION purge_migration_removals FROM PUBLIC;
