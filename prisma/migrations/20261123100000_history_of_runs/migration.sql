-- AlterTable
ALTER TABLE "migration_removal" ADD COLUMN     "recorded_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP;

-- The functions that delete history trusted rows that the server itself may write: which patients a run created, and when its
-- originals are due. They now go by what the server can't change: versions, which are append-only, and dates that the database sets
-- or keeps (docs/adr/0176).

-- Rows from before have the date that the server gave, so that purges that are due are not delayed.
ALTER TABLE migration_removal DISABLE TRIGGER migration_removal_no_update;
UPDATE migration_removal SET recorded_date = least(removed_date, recorded_date);
ALTER TABLE migration_removal ENABLE TRIGGER migration_removal_no_update;

-- Fails unless the run wrote every version of these patients and policies. The server can add versions but not change any, so a
-- record that claims a patient for a run is not enough.
CREATE FUNCTION require_written_by_run(p_run bigint, p_patients bigint[], p_policies bigint[]) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  run_name text := 'Migration run ' || p_run;
BEGIN
  IF EXISTS (
    SELECT FROM (
      SELECT v.source, v.reason FROM unnest(p_patients) AS p(id) LEFT JOIN patient_version v ON v.patient_id = p.id
      UNION ALL
      SELECT v.source, v.reason FROM unnest(p_policies) AS p(id) LEFT JOIN policy_version v ON v.policy_id = p.id
    ) AS versions
    WHERE (source = 'migration' AND (reason = run_name OR starts_with(reason, run_name || ': '))) IS NOT TRUE
  ) THEN
    RAISE EXCEPTION 'run % did not write all versions of these patients and policies', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- As before, and the run's originals must be there: what they don't say any more can't be rolled back.
CREATE OR REPLACE FUNCTION require_rolling_back(p_run bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM migration_run WHERE id = p_run AND state = 'rolling_back' AND purged_date IS NULL) THEN
    RAISE EXCEPTION 'run % is not rolled back', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- As before. The rows are locked, so that no version is added after they were looked at.
CREATE OR REPLACE FUNCTION purge_created_patients(p_run bigint, p_numbers int[], p_actor jsonb, p_source text, p_reason text,
  p_request_id text, p_time timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  patients bigint[];
  policies bigint[];
BEGIN
  PERFORM require_rolling_back(p_run);
  SELECT array_agg(id) INTO patients FROM (
    SELECT p.id
    FROM migration_record r JOIN migration_run m ON m.id = r.run_id
      JOIN patient p ON p.id = r.patient_id AND p.practice_id = m.practice_id
    WHERE r.run_id = p_run AND r.number = ANY (p_numbers) AND r.outcome -> 'created' = 'true'
      AND r.state IN ('converted', 'verified', 'different')
    ORDER BY p.id FOR UPDATE OF p
  ) AS locked;
  IF cardinality(patients) IS DISTINCT FROM cardinality(p_numbers) THEN
    RAISE EXCEPTION 'run % did not make all of these patients', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT coalesce(array_agg(id), '{}') INTO policies
  FROM (SELECT id FROM policy WHERE patient_id = ANY (patients) ORDER BY id FOR UPDATE) AS locked;
  PERFORM require_written_by_run(p_run, patients, policies);
  RETURN QUERY
    SELECT image_key FROM policy_card_image WHERE policy_id = ANY (policies)
    UNION SELECT image_key FROM legacy_card WHERE patient_id = ANY (patients);
  INSERT INTO migration_removal (run_id, number, patient_id, practice_id, removed, actor, source, reason, request_id, removed_date)
  SELECT r.run_id, r.number, p.id, p.practice_id, jsonb_build_object('patient', to_jsonb(p),
      'insurances', (SELECT coalesce(jsonb_agg(to_jsonb(i) ORDER BY i.id), '[]') FROM patient_insurance i WHERE i.patient_id = p.id),
      'cards', (SELECT coalesce(jsonb_agg(to_jsonb(c) ORDER BY c.id), '[]') FROM legacy_card c WHERE c.patient_id = p.id),
      'versions', (SELECT coalesce(jsonb_agg(to_jsonb(v) ORDER BY v.version), '[]') FROM patient_version v WHERE v.patient_id = p.id),
      'policies', policies_with_history(ARRAY(SELECT id FROM policy WHERE patient_id = p.id))),
    p_actor, p_source, p_reason, p_request_id, p_time
  FROM migration_record r JOIN patient p ON p.id = r.patient_id
  WHERE r.run_id = p_run AND r.number = ANY (p_numbers);
  PERFORM set_config('crosswalk.removing_policy', array_to_string(policies, ','), true);
  PERFORM set_config('crosswalk.removing_patient', array_to_string(patients, ','), true);
  DELETE FROM policy WHERE id = ANY (policies);
  DELETE FROM legacy_card WHERE patient_id = ANY (patients);
  DELETE FROM patient_insurance WHERE patient_id = ANY (patients);
  DELETE FROM patient_version WHERE patient_id = ANY (patients);
  DELETE FROM patient WHERE id = ANY (patients);
END $$;

CREATE OR REPLACE FUNCTION purge_added_policies(p_run bigint, p_number int, p_policies bigint[], p_actor jsonb, p_source text,
  p_reason text, p_request_id text, p_time timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  own migration_record%ROWTYPE;
  practice bigint;
BEGIN
  PERFORM require_rolling_back(p_run);
  PERFORM id FROM policy WHERE id = ANY (p_policies) ORDER BY id FOR UPDATE;
  PERFORM require_written_by_run(p_run, '{}', p_policies);
  SELECT * INTO own FROM migration_record WHERE run_id = p_run AND number = p_number;
  SELECT practice_id INTO practice FROM migration_run WHERE id = p_run;
  IF (SELECT count(*) FROM policy p WHERE p.id = ANY (p_policies) AND p.patient_id = own.patient_id AND p.practice_id = practice
      AND own.outcome -> 'added' @> to_jsonb(p.patient_insurance)) IS DISTINCT FROM cardinality(p_policies) THEN
    RAISE EXCEPTION 'record % of run % did not add all of these policies', p_number, p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY SELECT DISTINCT image_key FROM policy_card_image WHERE policy_id = ANY (p_policies);
  INSERT INTO migration_removal (run_id, number, patient_id, practice_id, removed, actor, source, reason, request_id, removed_date)
  VALUES (p_run, p_number, own.patient_id, practice, jsonb_build_object('policies', policies_with_history(p_policies)),
    p_actor, p_source, p_reason, p_request_id, p_time);
  PERFORM set_config('crosswalk.removing_policy', array_to_string(p_policies, ','), true);
  DELETE FROM policy WHERE id = ANY (p_policies);
END $$;

-- Originals are kept for 7 days at least, whatever the server says of their run: the least that MIGRATION_RETENTION_DAYS may be.
CREATE OR REPLACE FUNCTION guard_migration_removal_delete() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF OLD.recorded_date < now() - interval '7 days'
    AND EXISTS (SELECT FROM migration_run WHERE id = OLD.run_id AND purging AND purged_date IS NOT NULL) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'migration_removal is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

CREATE FUNCTION guard_migration_originals() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM migration_run
    WHERE id = OLD.run_id AND purging AND purged_date IS NOT NULL AND created_date < now() - interval '7 days') THEN
    RAISE EXCEPTION 'the originals of run % are not due to be deleted', OLD.run_id USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;

-- The date by which originals are due, and that they were deleted, are written once.
CREATE TRIGGER migration_run_dates_fixed BEFORE UPDATE OF id, created_date, purged_date ON migration_run FOR EACH ROW
  WHEN (NEW.id <> OLD.id OR NEW.created_date <> OLD.created_date
    OR (OLD.purged_date IS NOT NULL AND NEW.purged_date IS DISTINCT FROM OLD.purged_date))
  EXECUTE FUNCTION refuse_history_change();

-- What was read is never changed and belongs to its run for good; it may be forgotten once it is due.
DROP TRIGGER migration_record_raw_fixed ON migration_record;
CREATE TRIGGER migration_record_raw_fixed BEFORE UPDATE OF run_id, number, raw, exact ON migration_record FOR EACH ROW
  WHEN (NEW.run_id <> OLD.run_id OR NEW.number <> OLD.number
    OR (NEW.raw IS NOT NULL AND NEW.raw IS DISTINCT FROM OLD.raw) OR (NEW.exact IS NOT NULL AND NEW.exact IS DISTINCT FROM OLD.exact))
  EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER migration_record_raw_due BEFORE UPDATE OF raw, exact ON migration_record FOR EACH ROW
  WHEN ((OLD.raw IS NOT NULL AND NEW.raw IS NULL) OR (OLD.exact IS NOT NULL AND NEW.exact IS NULL))
  EXECUTE FUNCTION guard_migration_originals();

-- Which patient a record became, and what the conversion replaced, are written once. A conversion finds them empty: neither condition
-- looks at the values then.
CREATE TRIGGER migration_record_outcome_fixed BEFORE UPDATE OF patient_id, outcome ON migration_record FOR EACH ROW
  WHEN ((OLD.patient_id IS NOT NULL AND NEW.patient_id IS DISTINCT FROM OLD.patient_id)
    OR (OLD.outcome IS NOT NULL AND NEW.outcome IS NOT NULL AND NEW.outcome IS DISTINCT FROM OLD.outcome))
  EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER migration_record_outcome_due BEFORE UPDATE OF outcome ON migration_record FOR EACH ROW
  WHEN (OLD.outcome IS NOT NULL AND NEW.outcome IS NULL)
  EXECUTE FUNCTION guard_migration_originals();

CREATE TRIGGER migration_image_due BEFORE DELETE ON migration_image FOR EACH ROW EXECUTE FUNCTION guard_migration_originals();

-- A temporary table of the session must not stand for a table that a guard looks into.
ALTER FUNCTION require_own_organisation() SET search_path = public, pg_temp;
