-- The server works with a role that can't delete or change history (scripts/lib/grants.mjs). What has to do so runs here, with the
-- rights of the tables' owner: each function checks for itself that the deletion is one the product knows, and keeps what goes.

-- Moves the end of a chain, which nothing else may write.
ALTER FUNCTION chain_audit_entry() SECURITY DEFINER;
ALTER FUNCTION chain_audit_entry() SET search_path = public, pg_temp;

-- Deletes an archived policy with its versions and card images. A tombstone remains.
CREATE FUNCTION purge_policy(p_policy bigint, p_actor jsonb, p_source text, p_reason text, p_request_id text, p_time timestamptz)
RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  gone policy%ROWTYPE;
BEGIN
  SELECT * INTO gone FROM policy WHERE id = p_policy FOR UPDATE;
  IF gone.status IS DISTINCT FROM 'archived' THEN
    RAISE EXCEPTION 'policy %: only an archived policy can be purged', p_policy USING ERRCODE = 'insufficient_privilege';
  END IF;
  INSERT INTO policy_tombstone (policy_id, patient_id, practice_id, actor, source, reason, request_id, deleted_date)
  VALUES (gone.id, gone.patient_id, gone.practice_id, p_actor, p_source, p_reason, p_request_id, p_time);
  PERFORM set_config('crosswalk.removing_policy', p_policy::text, true);
  DELETE FROM policy WHERE id = p_policy;
END $$;

-- Policies with their versions and images, as rolling a run back keeps them in migration_removal.
CREATE FUNCTION policies_with_history(p_policies bigint[]) RETURNS jsonb LANGUAGE sql STABLE AS $$
  SELECT coalesce(jsonb_agg(to_jsonb(p) || jsonb_build_object(
    'versions', (SELECT coalesce(jsonb_agg(to_jsonb(v) ORDER BY v.version), '[]') FROM policy_version v WHERE v.policy_id = p.id),
    'images', (SELECT coalesce(jsonb_agg(to_jsonb(i) ORDER BY i.id), '[]') FROM policy_card_image i WHERE i.policy_id = p.id)
  ) ORDER BY p.id), '[]')
  FROM policy p WHERE p.id = ANY (p_policies);
$$;

CREATE FUNCTION require_rolling_back(p_run bigint) RETURNS void LANGUAGE plpgsql AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM migration_run WHERE id = p_run AND state = 'rolling_back') THEN
    RAISE EXCEPTION 'run % is not rolled back', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Takes out the patients that these records of a run made, with all that belongs to them, while the run is rolled back. All of it goes
-- to migration_removal first. Returns the keys of their images.
CREATE FUNCTION purge_created_patients(p_run bigint, p_numbers int[], p_actor jsonb, p_source text, p_reason text, p_request_id text,
  p_time timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  patients bigint[];
  policies bigint[];
BEGIN
  PERFORM require_rolling_back(p_run);
  SELECT array_agg(p.id) INTO patients
  FROM migration_record r JOIN migration_run m ON m.id = r.run_id
    JOIN patient p ON p.id = r.patient_id AND p.practice_id = m.practice_id
  WHERE r.run_id = p_run AND r.number = ANY (p_numbers) AND r.outcome -> 'created' = 'true'
    AND r.state IN ('converted', 'verified', 'different');
  IF cardinality(patients) IS DISTINCT FROM cardinality(p_numbers) THEN
    RAISE EXCEPTION 'run % did not make all of these patients', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT coalesce(array_agg(id), '{}') INTO policies FROM policy WHERE patient_id = ANY (patients);
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

-- Takes out policies that a record of a run added to a patient who was here before, while the run is rolled back; otherwise as above.
CREATE FUNCTION purge_added_policies(p_run bigint, p_number int, p_policies bigint[], p_actor jsonb, p_source text, p_reason text,
  p_request_id text, p_time timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  own migration_record%ROWTYPE;
  practice bigint;
BEGIN
  PERFORM require_rolling_back(p_run);
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

-- The planner's statistics, after many rows were written at once: only the owner may look.
CREATE FUNCTION refresh_statistics() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  ANALYZE patient, patient_insurance, patient_version, policy, policy_version, published_event, webhook_attempt;
END $$;

REVOKE ALL ON FUNCTION purge_policy, purge_created_patients, purge_added_policies, refresh_statistics FROM PUBLIC;

-- The record of an export, as it came, is what a run is verified against: it may be forgotten, never changed.
CREATE TRIGGER migration_record_raw_fixed BEFORE UPDATE OF raw ON migration_record FOR EACH ROW
  WHEN (NEW.raw IS NOT NULL AND NEW.raw IS DISTINCT FROM OLD.raw) EXECUTE FUNCTION refuse_history_change();
