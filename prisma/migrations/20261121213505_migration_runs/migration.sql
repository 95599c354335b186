-- CreateTable
CREATE TABLE "migration_run" (
    "id" BIGSERIAL NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "source" TEXT NOT NULL DEFAULT 'file',
    "source_name" TEXT NOT NULL,
    "source_size" BIGINT NOT NULL,
    "as_of" DATE NOT NULL,
    "columns" JSONB,
    "companies" JSONB NOT NULL DEFAULT '[]',
    "follows" BIGINT,
    "state" TEXT NOT NULL,
    "stopped_in" TEXT,
    "error" TEXT,
    "done" BIGINT NOT NULL DEFAULT 0,
    "total" BIGINT NOT NULL DEFAULT 0,
    "since_date" TIMESTAMPTZ(3) NOT NULL,
    "since_done" BIGINT NOT NULL DEFAULT 0,
    "origin" JSONB NOT NULL,
    "verification" JSONB,
    "created_companies" BIGINT[],
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "changed_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "migration_run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "migration_part" (
    "run_id" BIGINT NOT NULL,
    "part" INTEGER NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "migration_part_pkey" PRIMARY KEY ("run_id","part")
);

-- CreateTable
CREATE TABLE "migration_record" (
    "run_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "line" INTEGER NOT NULL,
    "raw" JSONB,
    "fingerprint" TEXT,
    "external_id" TEXT,
    "person" TEXT,
    "insurance_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "past_ids" TEXT[] DEFAULT ARRAY[]::TEXT[],
    "verdict" TEXT,
    "plan" JSONB,
    "refusal" TEXT,
    "creates" INTEGER NOT NULL DEFAULT 0,
    "updates" INTEGER NOT NULL DEFAULT 0,
    "unchanged" INTEGER NOT NULL DEFAULT 0,
    "archives" INTEGER NOT NULL DEFAULT 0,
    "refused" INTEGER NOT NULL DEFAULT 0,
    "blockers" INTEGER NOT NULL DEFAULT 0,
    "state" TEXT NOT NULL DEFAULT 'staged',
    "patient_id" BIGINT,
    "outcome" JSONB,
    "differences" JSONB,

    CONSTRAINT "migration_record_pkey" PRIMARY KEY ("run_id","number")
);

-- CreateTable
CREATE TABLE "migration_image" (
    "run_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "rank" SMALLINT NOT NULL,
    "side" SMALLINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "bytes" BYTEA NOT NULL,

    CONSTRAINT "migration_image_pkey" PRIMARY KEY ("run_id","number","rank","side")
);

-- CreateTable
CREATE TABLE "migration_reused_id" (
    "run_id" BIGINT NOT NULL,
    "insurance" TEXT NOT NULL,
    "is_current" BOOLEAN NOT NULL,
    "first_number" INTEGER NOT NULL,

    CONSTRAINT "migration_reused_id_pkey" PRIMARY KEY ("run_id","insurance")
);

-- CreateTable
CREATE TABLE "migration_finding" (
    "id" BIGSERIAL NOT NULL,
    "run_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "patient" TEXT,
    "insurance" TEXT,
    "position" INTEGER,
    "code" TEXT NOT NULL,
    "severity" TEXT NOT NULL,
    "field" TEXT,
    "found" JSONB,
    "message" TEXT NOT NULL,
    "fix" JSONB,
    "decision" TEXT NOT NULL DEFAULT 'open',
    "reason" TEXT,
    "decided_by" JSONB,
    "decided_date" TIMESTAMPTZ(3),
    "owner_id" BIGINT,
    "due_date" DATE,
    "note" TEXT,

    CONSTRAINT "migration_finding_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "migration_removal" (
    "id" BIGSERIAL NOT NULL,
    "run_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "patient_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "removed" JSONB NOT NULL,
    "actor" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    "reason" TEXT,
    "request_id" TEXT,
    "removed_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "migration_removal_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "migration_day" (
    "practice_id" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "run_id" BIGINT NOT NULL,
    "verified" INTEGER NOT NULL,
    "convertible" INTEGER NOT NULL,
    "person" INTEGER NOT NULL,
    "refused" INTEGER NOT NULL,

    CONSTRAINT "migration_day_pkey" PRIMARY KEY ("practice_id","day")
);

-- CreateTable
CREATE TABLE "migration_sign_off" (
    "id" BIGSERIAL NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "run_id" BIGINT,
    "decision" TEXT NOT NULL,
    "reason" TEXT NOT NULL,
    "figures" JSONB NOT NULL,
    "actor" JSONB NOT NULL,
    "signed_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "migration_sign_off_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "migration_run_practice_id_id_idx" ON "migration_run"("practice_id", "id");

-- CreateIndex
CREATE INDEX "migration_record_run_id_external_id_idx" ON "migration_record"("run_id", "external_id");

-- CreateIndex
CREATE INDEX "migration_record_run_id_person_number_idx" ON "migration_record"("run_id", "person", "number");

-- CreateIndex
CREATE INDEX "migration_record_run_id_verdict_number_idx" ON "migration_record"("run_id", "verdict", "number");

-- CreateIndex
CREATE INDEX "migration_record_run_id_state_number_idx" ON "migration_record"("run_id", "state", "number");

-- CreateIndex
CREATE INDEX "migration_finding_run_id_code_decision_idx" ON "migration_finding"("run_id", "code", "decision");

-- CreateIndex
CREATE INDEX "migration_finding_run_id_number_idx" ON "migration_finding"("run_id", "number");

-- CreateIndex
CREATE INDEX "migration_finding_run_id_decision_severity_idx" ON "migration_finding"("run_id", "decision", "severity");

-- CreateIndex
CREATE INDEX "migration_removal_run_id_number_idx" ON "migration_removal"("run_id", "number");

-- CreateIndex
CREATE INDEX "migration_removal_patient_id_idx" ON "migration_removal"("patient_id");

-- CreateIndex
CREATE INDEX "migration_sign_off_practice_id_id_idx" ON "migration_sign_off"("practice_id", "id");

-- AddForeignKey
ALTER TABLE "migration_run" ADD CONSTRAINT "migration_run_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "migration_part" ADD CONSTRAINT "migration_part_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "migration_run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "migration_record" ADD CONSTRAINT "migration_record_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "migration_run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "migration_image" ADD CONSTRAINT "migration_image_run_id_number_fkey" FOREIGN KEY ("run_id", "number") REFERENCES "migration_record"("run_id", "number") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "migration_reused_id" ADD CONSTRAINT "migration_reused_id_run_id_fkey" FOREIGN KEY ("run_id") REFERENCES "migration_run"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "migration_finding" ADD CONSTRAINT "migration_finding_run_id_number_fkey" FOREIGN KEY ("run_id", "number") REFERENCES "migration_record"("run_id", "number") ON DELETE CASCADE ON UPDATE CASCADE;

-- Work goes on in one run of a practice at a time.
CREATE UNIQUE INDEX migration_run_one_at_work ON migration_run (practice_id)
  WHERE state IN ('reading', 'checking', 'converting', 'verifying', 'rolling_back');
ALTER TABLE migration_run
  ADD CONSTRAINT migration_run_source CHECK (source IN ('file', 'practice')),
  ADD CONSTRAINT migration_run_state CHECK (state IN ('uploading', 'reading', 'checking', 'checked', 'converting', 'converted',
    'verifying', 'verified', 'rolling_back', 'rolled_back', 'failed', 'cancelled'));
ALTER TABLE migration_record
  ADD CONSTRAINT migration_record_verdict CHECK (verdict IN ('create', 'update', 'unchanged', 'archive', 'refused')),
  ADD CONSTRAINT migration_record_state CHECK (state IN ('staged', 'checked', 'converted', 'left_out', 'stale', 'verified',
    'different', 'rolled_back', 'kept'));
ALTER TABLE migration_finding
  ADD CONSTRAINT migration_finding_severity CHECK (severity IN ('error', 'warning')),
  ADD CONSTRAINT migration_finding_decision CHECK (decision IN ('open', 'accepted', 'skipped'));
ALTER TABLE migration_sign_off ADD CONSTRAINT migration_sign_off_decision CHECK (decision IN ('go', 'no_go'));

-- Uploaded bytes are compressed already, or not worth the time.
ALTER TABLE migration_part ALTER COLUMN bytes SET STORAGE EXTERNAL;
ALTER TABLE migration_image ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Rolling a run back takes out the patients it made, with their versions, once all of it stands in migration_removal: the one
-- command that may do so names the patients in a setting local to its transaction. Policies likewise, one or many.
CREATE FUNCTION guard_patient_version_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.patient_id::text = ANY (string_to_array(coalesce(current_setting('crosswalk.removing_patient', true), ''), ',')) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'patient_version is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE OR REPLACE FUNCTION guard_policy_version_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF OLD.policy_id::text = ANY (string_to_array(coalesce(current_setting('crosswalk.removing_policy', true), ''), ',')) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'policy_version is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
DROP TRIGGER patient_version_append_only ON patient_version;
CREATE TRIGGER patient_version_no_update BEFORE UPDATE ON patient_version FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER patient_version_no_delete BEFORE DELETE ON patient_version FOR EACH ROW EXECUTE FUNCTION guard_patient_version_delete();

CREATE TRIGGER migration_removal_append_only BEFORE UPDATE OR DELETE ON migration_removal FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER migration_removal_no_truncate BEFORE TRUNCATE ON migration_removal FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER migration_sign_off_append_only BEFORE UPDATE OR DELETE ON migration_sign_off FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER migration_sign_off_no_truncate BEFORE TRUNCATE ON migration_sign_off FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
