-- CreateSchema
CREATE SCHEMA IF NOT EXISTS "public";

-- CreateTable
CREATE TABLE "insurance_company" (
    "id" BIGSERIAL NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "external_id" BIGINT,
    "carrier" TEXT NOT NULL,
    "aliases" TEXT,
    "address" TEXT NOT NULL DEFAULT '',
    "suite" TEXT,
    "city" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL DEFAULT '',
    "zip" TEXT NOT NULL DEFAULT '',
    "phone" TEXT,
    "extension" TEXT,
    "payer_id" TEXT,
    "eligibility_payer_id" TEXT,
    "external_vendor_id" TEXT,
    "insurance_type" TEXT,
    "is_credentialed" BOOLEAN,
    "is_enrolled" BOOLEAN,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "modified_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_date" TIMESTAMPTZ(3),

    CONSTRAINT "insurance_company_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "insurance_plan" (
    "id" BIGSERIAL NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "insurance_company_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "modified_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "deleted_date" TIMESTAMPTZ(3),

    CONSTRAINT "insurance_plan_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "import_run" (
    "id" BIGSERIAL NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "source" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "lines_done" INTEGER NOT NULL DEFAULT 0,
    "counters" JSONB NOT NULL DEFAULT '{}',
    "refused" JSONB NOT NULL DEFAULT '[]',
    "started_date" TIMESTAMPTZ(3) NOT NULL,
    "finished_date" TIMESTAMPTZ(3),

    CONSTRAINT "import_run_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_client" (
    "id" BIGSERIAL NOT NULL,
    "client_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "organisation_id" BIGINT NOT NULL,
    "scoped_tokens" BOOLEAN NOT NULL DEFAULT false,
    "allowed_scopes" TEXT[],
    "disabled_date" TIMESTAMPTZ(3),
    "created_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "oauth_client_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_client_secret" (
    "id" BIGSERIAL NOT NULL,
    "client_id" BIGINT NOT NULL,
    "secret_hash" BYTEA NOT NULL,
    "created_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "expires_date" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_client_secret_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "oauth_client_practice" (
    "client_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,

    CONSTRAINT "oauth_client_practice_pkey" PRIMARY KEY ("client_id","practice_id")
);

-- CreateTable
CREATE TABLE "oauth_token" (
    "token_hash" BYTEA NOT NULL,
    "client_id" BIGINT NOT NULL,
    "secret_id" BIGINT NOT NULL,
    "scopes" TEXT[],
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "expires_date" TIMESTAMPTZ(3) NOT NULL,
    "revoked_date" TIMESTAMPTZ(3),

    CONSTRAINT "oauth_token_pkey" PRIMARY KEY ("token_hash")
);

-- CreateTable
CREATE TABLE "idempotency_key" (
    "client_id" BIGINT NOT NULL,
    "key" TEXT NOT NULL,
    "fingerprint" TEXT NOT NULL,
    "state" TEXT NOT NULL,
    "lease" UUID NOT NULL,
    "leased_until" TIMESTAMPTZ(3) NOT NULL,
    "status" INTEGER,
    "headers" JSONB,
    "body" TEXT,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "expires_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "idempotency_key_pkey" PRIMARY KEY ("client_id","key")
);

-- CreateTable
CREATE TABLE "patient" (
    "id" BIGSERIAL NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "primary_physician_id" BIGINT NOT NULL,
    "external_id" BIGINT,
    "master_patient" BIGINT,
    "first_name" TEXT NOT NULL,
    "middle_name" TEXT NOT NULL DEFAULT '',
    "last_name" TEXT NOT NULL,
    "dob" DATE NOT NULL,
    "sex" TEXT NOT NULL,
    "details" JSONB NOT NULL DEFAULT '{}',
    "phones" JSONB NOT NULL DEFAULT '[]',
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "last_modified" TIMESTAMPTZ(3) NOT NULL,
    "deleted_date" TIMESTAMPTZ(3),

    CONSTRAINT "patient_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "patient_insurance" (
    "id" BIGSERIAL NOT NULL,
    "patient_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "policy_id" BIGINT NOT NULL,
    "external_id" BIGINT,
    "rank" SMALLINT NOT NULL,
    "carrier" TEXT,
    "insurance_company" BIGINT,
    "plan" TEXT,
    "insurance_plan" BIGINT,
    "member_id" TEXT,
    "group_id" TEXT,
    "copay" DECIMAL(10,2),
    "deductible" DECIMAL(10,2),
    "start_date" DATE,
    "end_date" DATE,
    "payment_program" TEXT,
    "relationship_to_insured" TEXT,
    "insured_person_first_name" TEXT,
    "insured_person_last_name" TEXT,
    "insured_person_dob" TEXT,
    "insured_person_gender" TEXT,
    "insured_person_ssn" TEXT,
    "insured_person_id" TEXT,
    "insured_person_address" TEXT,
    "insured_person_city" TEXT,
    "insured_person_state" TEXT,
    "insured_person_zip" TEXT,
    "address" TEXT,
    "suite" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "phone" TEXT,
    "extension" TEXT,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "deleted_date" TIMESTAMPTZ(3),

    CONSTRAINT "patient_insurance_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "legacy_card" (
    "id" BIGSERIAL NOT NULL,
    "patient_id" BIGINT NOT NULL,
    "rank" SMALLINT NOT NULL,
    "side" SMALLINT NOT NULL,
    "image_key" UUID NOT NULL,
    "sha256" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "ended_date" TIMESTAMPTZ(3),

    CONSTRAINT "legacy_card_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "patient_version" (
    "patient_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "changes" JSONB NOT NULL,
    "actor" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    "reason" TEXT,
    "request_id" TEXT,
    "occurred_date" TIMESTAMPTZ(3) NOT NULL,
    "recorded_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "patient_version_pkey" PRIMARY KEY ("patient_id","version")
);

-- CreateTable
CREATE TABLE "policy" (
    "id" BIGSERIAL NOT NULL,
    "patient_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'active',
    "version" INTEGER NOT NULL DEFAULT 1,
    "rank" SMALLINT,
    "patient_first_name" TEXT NOT NULL,
    "patient_last_name" TEXT NOT NULL,
    "patient_dob" DATE NOT NULL,
    "carrier" TEXT,
    "insurance_company" BIGINT,
    "plan" TEXT,
    "insurance_plan" BIGINT,
    "member_id" TEXT,
    "group_id" TEXT,
    "copay" DECIMAL(10,2),
    "deductible" DECIMAL(10,2),
    "start_date" DATE,
    "end_date" DATE,
    "payment_program" TEXT,
    "relationship_to_insured" TEXT,
    "insured_person_first_name" TEXT,
    "insured_person_last_name" TEXT,
    "insured_person_dob" TEXT,
    "insured_person_gender" TEXT,
    "insured_person_ssn" TEXT,
    "insured_person_id" TEXT,
    "insured_person_address" TEXT,
    "insured_person_city" TEXT,
    "insured_person_state" TEXT,
    "insured_person_zip" TEXT,
    "address" TEXT,
    "suite" TEXT,
    "city" TEXT,
    "state" TEXT,
    "zip" TEXT,
    "phone" TEXT,
    "extension" TEXT,
    "patient_insurance" BIGINT NOT NULL,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "modified_date" TIMESTAMPTZ(3) NOT NULL,
    "archived_date" TIMESTAMPTZ(3),
    "archive_reason" TEXT,

    CONSTRAINT "policy_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "policy_version" (
    "policy_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "patient_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "snapshot" JSONB NOT NULL,
    "actor" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    "reason" TEXT,
    "request_id" TEXT,
    "occurred_date" TIMESTAMPTZ(3) NOT NULL,
    "recorded_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "policy_version_pkey" PRIMARY KEY ("policy_id","version")
);

-- CreateTable
CREATE TABLE "policy_card_image" (
    "id" BIGSERIAL NOT NULL,
    "policy_id" BIGINT NOT NULL,
    "image_rank" SMALLINT NOT NULL,
    "image_key" UUID NOT NULL,
    "sha256" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" INTEGER NOT NULL,
    "width" INTEGER NOT NULL,
    "height" INTEGER NOT NULL,
    "from_version" INTEGER NOT NULL,
    "to_version" INTEGER,
    "created_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "policy_card_image_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "policy_tombstone" (
    "policy_id" BIGINT NOT NULL,
    "patient_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "actor" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    "reason" TEXT,
    "request_id" TEXT,
    "deleted_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "policy_tombstone_pkey" PRIMARY KEY ("policy_id")
);

-- CreateTable
CREATE TABLE "organisation" (
    "id" BIGSERIAL NOT NULL,
    "name" TEXT NOT NULL,

    CONSTRAINT "organisation_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "practice" (
    "id" BIGSERIAL NOT NULL,
    "organisation_id" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "address_line1" TEXT NOT NULL DEFAULT '',
    "address_line2" TEXT NOT NULL DEFAULT '',
    "city" TEXT NOT NULL DEFAULT '',
    "state" TEXT NOT NULL DEFAULT '',
    "zip" TEXT NOT NULL DEFAULT '',
    "timezone" TEXT NOT NULL DEFAULT 'America/New_York',
    "status" TEXT NOT NULL DEFAULT 'active',
    "metadata" JSONB,
    "version" INTEGER NOT NULL DEFAULT 1,
    "insurance_versioning_enabled" BOOLEAN NOT NULL DEFAULT false,
    "deprecation_date" DATE NOT NULL DEFAULT '2025-10-31'::date,
    "deprecation_mode" TEXT NOT NULL DEFAULT 'announce',
    "rehearsal_time" TIMESTAMPTZ(3),
    "created_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "modified_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "practice_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "physician" (
    "id" BIGSERIAL NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "external_id" BIGINT,
    "first_name" TEXT NOT NULL,
    "last_name" TEXT NOT NULL,
    "credentials" TEXT,
    "email" TEXT NOT NULL,
    "fax" TEXT NOT NULL DEFAULT '',
    "npi" TEXT NOT NULL,
    "license" TEXT NOT NULL,
    "license_state" TEXT NOT NULL,
    "specialty" TEXT NOT NULL DEFAULT '',
    "is_active" BOOLEAN NOT NULL DEFAULT true,
    "user_id" BIGINT,
    "metadata" JSONB,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "modified_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "physician_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "provider_availability" (
    "id" BIGSERIAL NOT NULL,
    "physician_id" BIGINT NOT NULL,
    "weekday" SMALLINT NOT NULL,
    "start_time" TEXT NOT NULL,
    "end_time" TEXT NOT NULL,
    "service_location_id" BIGINT,
    "appointment_types" JSONB NOT NULL DEFAULT '[]',

    CONSTRAINT "provider_availability_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "record_version" (
    "record_type" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,
    "version" INTEGER NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "kind" TEXT NOT NULL,
    "changes" JSONB NOT NULL,
    "actor" JSONB NOT NULL,
    "source" TEXT NOT NULL,
    "reason" TEXT,
    "request_id" TEXT,
    "occurred_date" TIMESTAMPTZ(3) NOT NULL,
    "recorded_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,

    CONSTRAINT "record_version_pkey" PRIMARY KEY ("record_type","record_id","version")
);

-- CreateTable
CREATE TABLE "sync_event" (
    "id" BIGSERIAL NOT NULL,
    "patient_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "direction" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "changes" JSONB,
    "origin" JSONB NOT NULL,
    "status" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_date" TIMESTAMPTZ(3) NOT NULL,
    "last_error" TEXT,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "acknowledged_date" TIMESTAMPTZ(3),

    CONSTRAINT "sync_event_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "insurance_company_practice_id_carrier_idx" ON "insurance_company"("practice_id", "carrier");

-- CreateIndex
CREATE UNIQUE INDEX "insurance_company_practice_id_external_id_key" ON "insurance_company"("practice_id", "external_id");

-- CreateIndex
CREATE INDEX "insurance_plan_practice_id_idx" ON "insurance_plan"("practice_id");

-- CreateIndex
CREATE INDEX "insurance_plan_insurance_company_id_idx" ON "insurance_plan"("insurance_company_id");

-- CreateIndex
CREATE INDEX "import_run_practice_id_fingerprint_idx" ON "import_run"("practice_id", "fingerprint");

-- CreateIndex
CREATE UNIQUE INDEX "oauth_client_client_id_key" ON "oauth_client"("client_id");

-- CreateIndex
CREATE INDEX "oauth_client_secret_client_id_idx" ON "oauth_client_secret"("client_id");

-- CreateIndex
CREATE INDEX "oauth_token_client_id_idx" ON "oauth_token"("client_id");

-- CreateIndex
CREATE INDEX "oauth_token_secret_id_idx" ON "oauth_token"("secret_id");

-- CreateIndex
CREATE INDEX "oauth_token_expires_date_idx" ON "oauth_token"("expires_date");

-- CreateIndex
CREATE INDEX "idempotency_key_expires_date_idx" ON "idempotency_key"("expires_date");

-- CreateIndex
CREATE INDEX "patient_practice_id_id_idx" ON "patient"("practice_id", "id");

-- CreateIndex
CREATE INDEX "patient_practice_id_dob_idx" ON "patient"("practice_id", "dob");

-- CreateIndex
CREATE INDEX "patient_practice_id_last_modified_idx" ON "patient"("practice_id", "last_modified");

-- CreateIndex
CREATE UNIQUE INDEX "patient_practice_id_external_id_key" ON "patient"("practice_id", "external_id");

-- CreateIndex
CREATE UNIQUE INDEX "patient_insurance_policy_id_key" ON "patient_insurance"("policy_id");

-- CreateIndex
CREATE INDEX "patient_insurance_patient_id_idx" ON "patient_insurance"("patient_id");

-- CreateIndex
CREATE INDEX "patient_insurance_practice_id_member_id_idx" ON "patient_insurance"("practice_id", "member_id");

-- CreateIndex
CREATE INDEX "patient_insurance_practice_id_group_id_idx" ON "patient_insurance"("practice_id", "group_id");

-- CreateIndex
CREATE INDEX "patient_insurance_insurance_company_idx" ON "patient_insurance"("insurance_company");

-- CreateIndex
CREATE INDEX "patient_insurance_insurance_plan_idx" ON "patient_insurance"("insurance_plan");

-- CreateIndex
CREATE UNIQUE INDEX "patient_insurance_practice_id_external_id_key" ON "patient_insurance"("practice_id", "external_id");

-- CreateIndex
CREATE INDEX "legacy_card_patient_id_rank_side_idx" ON "legacy_card"("patient_id", "rank", "side");

-- CreateIndex
CREATE INDEX "legacy_card_image_key_idx" ON "legacy_card"("image_key");

-- CreateIndex
CREATE UNIQUE INDEX "policy_patient_insurance_key" ON "policy"("patient_insurance");

-- CreateIndex
CREATE INDEX "policy_patient_id_status_rank_idx" ON "policy"("patient_id", "status", "rank");

-- CreateIndex
CREATE INDEX "policy_practice_id_idx" ON "policy"("practice_id");

-- CreateIndex
CREATE INDEX "policy_insurance_company_idx" ON "policy"("insurance_company");

-- CreateIndex
CREATE INDEX "policy_insurance_plan_idx" ON "policy"("insurance_plan");

-- CreateIndex
CREATE INDEX "policy_version_patient_id_occurred_date_idx" ON "policy_version"("patient_id", "occurred_date");

-- CreateIndex
CREATE INDEX "policy_card_image_policy_id_image_rank_idx" ON "policy_card_image"("policy_id", "image_rank");

-- CreateIndex
CREATE INDEX "policy_card_image_image_key_idx" ON "policy_card_image"("image_key");

-- CreateIndex
CREATE INDEX "policy_tombstone_patient_id_idx" ON "policy_tombstone"("patient_id");

-- CreateIndex
CREATE INDEX "practice_organisation_id_idx" ON "practice"("organisation_id");

-- CreateIndex
CREATE INDEX "physician_practice_id_last_name_idx" ON "physician"("practice_id", "last_name");

-- CreateIndex
CREATE INDEX "physician_npi_idx" ON "physician"("npi");

-- CreateIndex
CREATE UNIQUE INDEX "physician_practice_id_external_id_key" ON "physician"("practice_id", "external_id");

-- CreateIndex
CREATE INDEX "provider_availability_physician_id_weekday_start_time_idx" ON "provider_availability"("physician_id", "weekday", "start_time");

-- CreateIndex
CREATE INDEX "record_version_practice_id_recorded_date_idx" ON "record_version"("practice_id", "recorded_date");

-- AddForeignKey
ALTER TABLE "insurance_company" ADD CONSTRAINT "insurance_company_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "insurance_plan" ADD CONSTRAINT "insurance_plan_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "insurance_plan" ADD CONSTRAINT "insurance_plan_insurance_company_id_fkey" FOREIGN KEY ("insurance_company_id") REFERENCES "insurance_company"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_client" ADD CONSTRAINT "oauth_client_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_client_secret" ADD CONSTRAINT "oauth_client_secret_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_client_practice" ADD CONSTRAINT "oauth_client_practice_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_client_practice" ADD CONSTRAINT "oauth_client_practice_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_token" ADD CONSTRAINT "oauth_token_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_client"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "oauth_token" ADD CONSTRAINT "oauth_token_secret_id_fkey" FOREIGN KEY ("secret_id") REFERENCES "oauth_client_secret"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient" ADD CONSTRAINT "patient_primary_physician_id_fkey" FOREIGN KEY ("primary_physician_id") REFERENCES "physician"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_insurance" ADD CONSTRAINT "patient_insurance_patient_id_fkey" FOREIGN KEY ("patient_id") REFERENCES "patient"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_insurance" ADD CONSTRAINT "patient_insurance_insurance_company_fkey" FOREIGN KEY ("insurance_company") REFERENCES "insurance_company"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_insurance" ADD CONSTRAINT "patient_insurance_insurance_plan_fkey" FOREIGN KEY ("insurance_plan") REFERENCES "insurance_plan"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "legacy_card" ADD CONSTRAINT "legacy_card_patient_id_fkey" FOREIGN KEY ("patient_id") REFERENCES "patient"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "patient_version" ADD CONSTRAINT "patient_version_patient_id_fkey" FOREIGN KEY ("patient_id") REFERENCES "patient"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy" ADD CONSTRAINT "policy_patient_id_fkey" FOREIGN KEY ("patient_id") REFERENCES "patient"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy" ADD CONSTRAINT "policy_insurance_company_fkey" FOREIGN KEY ("insurance_company") REFERENCES "insurance_company"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy" ADD CONSTRAINT "policy_insurance_plan_fkey" FOREIGN KEY ("insurance_plan") REFERENCES "insurance_plan"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy_version" ADD CONSTRAINT "policy_version_policy_id_fkey" FOREIGN KEY ("policy_id") REFERENCES "policy"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "policy_card_image" ADD CONSTRAINT "policy_card_image_policy_id_fkey" FOREIGN KEY ("policy_id") REFERENCES "policy"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "practice" ADD CONSTRAINT "practice_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "physician" ADD CONSTRAINT "physician_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "provider_availability" ADD CONSTRAINT "provider_availability_physician_id_fkey" FOREIGN KEY ("physician_id") REFERENCES "physician"("id") ON DELETE CASCADE ON UPDATE CASCADE;
