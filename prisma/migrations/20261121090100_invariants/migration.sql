-- What the Prisma schema cannot say: one active policy per patient and rank, closed vocabularies, append-only history.

-- Ranks. NULL ranks do not collide: an active policy may be unranked.
CREATE UNIQUE INDEX policy_one_active_per_rank ON policy (patient_id, rank) WHERE status = 'active';
CREATE UNIQUE INDEX patient_insurance_one_current_per_rank ON patient_insurance (patient_id, rank) WHERE deleted_date IS NULL;
CREATE UNIQUE INDEX policy_card_image_one_current_per_rank ON policy_card_image (policy_id, image_rank) WHERE to_version IS NULL;
CREATE UNIQUE INDEX legacy_card_one_current_per_side ON legacy_card (patient_id, rank, side) WHERE ended_date IS NULL;

-- The stream: the head of each patient's queue, what is due, and what staff must look at.
CREATE INDEX sync_event_open_by_patient ON sync_event (patient_id, id) WHERE status IN ('pending', 'failed');
CREATE INDEX sync_event_due ON sync_event (next_attempt_date, id) WHERE status = 'pending';
CREATE INDEX sync_event_failed ON sync_event (practice_id, id) WHERE status = 'failed';
CREATE INDEX sync_event_acknowledged ON sync_event (acknowledged_date) WHERE status = 'acknowledged';

-- Patient search as the contract filters it: names without regard to case.
CREATE INDEX patient_last_name ON patient (practice_id, lower(last_name), id);
CREATE INDEX patient_first_name ON patient (practice_id, lower(first_name), id);
CREATE INDEX patient_phones ON patient USING gin (phones jsonb_path_ops);

ALTER TABLE policy
  ADD CONSTRAINT policy_status CHECK (status IN ('active', 'archived')),
  ADD CONSTRAINT policy_rank CHECK (rank BETWEEN 1 AND 3),
  ADD CONSTRAINT policy_version_positive CHECK (version >= 1),
  ADD CONSTRAINT policy_archived_has_date CHECK ((status = 'archived') = (archived_date IS NOT NULL));
ALTER TABLE patient_insurance ADD CONSTRAINT patient_insurance_rank CHECK (rank BETWEEN 1 AND 3);
ALTER TABLE policy_card_image ADD CONSTRAINT policy_card_image_rank CHECK (image_rank BETWEEN 1 AND 9);
ALTER TABLE legacy_card
  ADD CONSTRAINT legacy_card_rank CHECK (rank BETWEEN 1 AND 3),
  ADD CONSTRAINT legacy_card_side CHECK (side BETWEEN 1 AND 9);
ALTER TABLE sync_event
  ADD CONSTRAINT sync_event_direction CHECK (direction IN ('policies_to_patients', 'patients_to_policies')),
  ADD CONSTRAINT sync_event_kind CHECK (kind IN ('create', 'update', 'delete')),
  ADD CONSTRAINT sync_event_status CHECK (status IN ('pending', 'acknowledged', 'failed', 'discarded'));
ALTER TABLE practice ADD CONSTRAINT practice_deprecation_mode CHECK (deprecation_mode IN ('announce', 'enforce'));
ALTER TABLE idempotency_key ADD CONSTRAINT idempotency_key_state CHECK (state IN ('in_flight', 'applied', 'answered'));

-- History is append-only, for every role. A policy deleted for good takes its versions with it: the one command that
-- may do so names the policy in a setting local to its transaction, and leaves a tombstone.
CREATE FUNCTION refuse_history_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE FUNCTION guard_policy_version_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF current_setting('crosswalk.removing_policy', true) IS DISTINCT FROM OLD.policy_id::text THEN
    RAISE EXCEPTION 'policy_version is append-only' USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN OLD;
END $$;

CREATE TRIGGER policy_version_no_update BEFORE UPDATE ON policy_version FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER policy_version_no_delete BEFORE DELETE ON policy_version FOR EACH ROW EXECUTE FUNCTION guard_policy_version_delete();
CREATE TRIGGER policy_version_no_truncate BEFORE TRUNCATE ON policy_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER patient_version_append_only BEFORE UPDATE OR DELETE ON patient_version FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER patient_version_no_truncate BEFORE TRUNCATE ON patient_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER record_version_append_only BEFORE UPDATE OR DELETE ON record_version FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER record_version_no_truncate BEFORE TRUNCATE ON record_version FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER policy_tombstone_append_only BEFORE UPDATE OR DELETE ON policy_tombstone FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER policy_tombstone_no_truncate BEFORE TRUNCATE ON policy_tombstone FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
