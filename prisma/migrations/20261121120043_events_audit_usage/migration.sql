-- AlterTable
ALTER TABLE "idempotency_key" ADD COLUMN     "patients" BIGINT[];

-- AlterTable
ALTER TABLE "record_version" ALTER COLUMN "practice_id" DROP NOT NULL;

-- CreateTable
CREATE TABLE "audit_entry" (
    "practice_id" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL,
    "occurred_date" TIMESTAMPTZ(3) NOT NULL,
    "actor_type" TEXT NOT NULL,
    "actor_id" BIGINT,
    "actor_name" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "operation" TEXT NOT NULL,
    "path" TEXT,
    "patients" BIGINT[],
    "source" TEXT NOT NULL,
    "address" TEXT,
    "reason" TEXT,
    "request_id" TEXT,
    "prev_hash" BYTEA NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_entry_pkey" PRIMARY KEY ("practice_id","seq")
);

-- CreateTable
CREATE TABLE "audit_chain" (
    "practice_id" BIGINT NOT NULL,
    "seq" BIGINT NOT NULL,
    "hash" BYTEA NOT NULL,

    CONSTRAINT "audit_chain_pkey" PRIMARY KEY ("practice_id")
);

-- CreateTable
CREATE TABLE "subscription" (
    "id" BIGSERIAL NOT NULL,
    "client_id" BIGINT NOT NULL,
    "resource" TEXT NOT NULL,
    "target" TEXT NOT NULL,
    "target_origin" TEXT NOT NULL,
    "properties" JSONB,
    "signing_pub_key" TEXT NOT NULL,
    "signing_private_key" BYTEA NOT NULL,
    "failing_since" TIMESTAMPTZ(3),
    "paused_date" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "modified_date" TIMESTAMPTZ(3) NOT NULL,
    "deleted_date" TIMESTAMPTZ(3),

    CONSTRAINT "subscription_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "published_event" (
    "id" BIGSERIAL NOT NULL,
    "event_id" BIGSERIAL NOT NULL,
    "event_uuid" UUID NOT NULL,
    "subscription_id" BIGINT NOT NULL,
    "client_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "event_type" TEXT NOT NULL,
    "resource" TEXT NOT NULL,
    "resource_id" BIGINT NOT NULL,
    "target" TEXT NOT NULL,
    "processed_date" TIMESTAMPTZ(3),
    "error_content" TEXT,
    "status_code" INTEGER,
    "reported_date" TIMESTAMPTZ(3),
    "version" INTEGER NOT NULL DEFAULT 1,
    "delivery" TEXT NOT NULL DEFAULT 'pending',
    "attempts" INTEGER NOT NULL DEFAULT 0,
    "next_attempt_date" TIMESTAMPTZ(3) NOT NULL,
    "give_up_date" TIMESTAMPTZ(3) NOT NULL,
    "lease_until" TIMESTAMPTZ(3),
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "modified_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "published_event_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "webhook_attempt" (
    "published_event_id" BIGINT NOT NULL,
    "number" INTEGER NOT NULL,
    "started_date" TIMESTAMPTZ(3) NOT NULL,
    "duration_ms" INTEGER,
    "status_code" INTEGER,
    "error" TEXT,

    CONSTRAINT "webhook_attempt_pkey" PRIMARY KEY ("published_event_id","number")
);

-- CreateTable
CREATE TABLE "legacy_use" (
    "practice_id" BIGINT NOT NULL,
    "client_id" BIGINT NOT NULL,
    "endpoint" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "reads" BIGINT NOT NULL DEFAULT 0,
    "writes" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "legacy_use_pkey" PRIMARY KEY ("practice_id","client_id","endpoint","day")
);

-- CreateIndex
CREATE INDEX "audit_entry_patients_idx" ON "audit_entry" USING GIN ("patients");

-- CreateIndex
CREATE INDEX "subscription_client_id_id_idx" ON "subscription"("client_id", "id");

-- CreateIndex
CREATE UNIQUE INDEX "published_event_event_id_key" ON "published_event"("event_id");

-- CreateIndex
CREATE UNIQUE INDEX "published_event_event_uuid_key" ON "published_event"("event_uuid");

-- CreateIndex
CREATE INDEX "published_event_client_id_id_idx" ON "published_event"("client_id", "id");

-- CreateIndex
CREATE INDEX "published_event_created_date_idx" ON "published_event"("created_date");

-- AddForeignKey
ALTER TABLE "subscription" ADD CONSTRAINT "subscription_client_id_fkey" FOREIGN KEY ("client_id") REFERENCES "oauth_client"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "published_event" ADD CONSTRAINT "published_event_subscription_id_fkey" FOREIGN KEY ("subscription_id") REFERENCES "subscription"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "webhook_attempt" ADD CONSTRAINT "webhook_attempt_published_event_id_fkey" FOREIGN KEY ("published_event_id") REFERENCES "published_event"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the Prisma schema cannot say.

-- Subscriptions: no second one on the same resource and target; who hears of a change.
CREATE UNIQUE INDEX subscription_once ON subscription (client_id, resource, target) WHERE deleted_date IS NULL;
CREATE INDEX subscription_by_resource ON subscription (resource) WHERE deleted_date IS NULL;

-- Delivery: what is due for a subscription, what is open of a record, what is under way, what waits for a person.
CREATE INDEX published_event_due ON published_event (subscription_id, next_attempt_date, id) WHERE delivery = 'pending';
CREATE INDEX published_event_open_by_record ON published_event (subscription_id, resource_id, id)
  WHERE delivery IN ('pending', 'sending');
CREATE INDEX published_event_sending ON published_event (lease_until) WHERE delivery = 'sending';
CREATE INDEX published_event_stopped ON published_event (subscription_id, id) WHERE delivery IN ('failed', 'held');

ALTER TABLE published_event
  ADD CONSTRAINT published_event_type CHECK (event_type IN ('saved', 'deleted')),
  ADD CONSTRAINT published_event_delivery
    CHECK (delivery IN ('pending', 'sending', 'held', 'delivered', 'failed', 'canceled')),
  ADD CONSTRAINT published_event_lease CHECK ((delivery = 'sending') = (lease_until IS NOT NULL));

-- Audit: every entry is given its place and its hash by the database, whoever inserts it.
ALTER TABLE audit_entry
  ADD CONSTRAINT audit_entry_actor CHECK (actor_type IN ('client', 'staff', 'system', 'link')),
  ADD CONSTRAINT audit_entry_kind CHECK (kind IN ('read', 'change'));

-- A field of the hashed text: its length in bytes before it, so that no two entries make the same text.
CREATE FUNCTION audit_field(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN value IS NULL THEN '-' ELSE octet_length(convert_to(value, 'UTF8')) || ':' || value END;
$$;

CREATE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  head audit_chain%ROWTYPE;
BEGIN
  SELECT * INTO head FROM audit_chain WHERE practice_id = NEW.practice_id FOR UPDATE;
  IF NOT FOUND THEN
    INSERT INTO audit_chain (practice_id, seq, hash) VALUES (NEW.practice_id, 0, '') ON CONFLICT DO NOTHING;
    SELECT * INTO head FROM audit_chain WHERE practice_id = NEW.practice_id FOR UPDATE;
  END IF;
  NEW.seq := head.seq + 1;
  NEW.prev_hash := head.hash;
  NEW.hash := sha256(convert_to(
    audit_field(encode(head.hash, 'hex')) || audit_field(NEW.practice_id::text) || audit_field(NEW.seq::text)
    || audit_field(to_char(NEW.occurred_date AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
    || audit_field(NEW.actor_type) || audit_field(NEW.actor_id::text) || audit_field(NEW.actor_name)
    || audit_field(NEW.kind) || audit_field(NEW.operation) || audit_field(NEW.path)
    || audit_field(array_to_string(NEW.patients, ',')) || audit_field(NEW.source) || audit_field(NEW.address)
    || audit_field(NEW.reason) || audit_field(NEW.request_id), 'UTF8'));
  UPDATE audit_chain SET seq = NEW.seq, hash = NEW.hash WHERE practice_id = NEW.practice_id;
  RETURN NEW;
END $$;

CREATE TRIGGER audit_entry_chain BEFORE INSERT ON audit_entry FOR EACH ROW EXECUTE FUNCTION chain_audit_entry();
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE ON audit_entry FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER audit_chain_no_delete BEFORE DELETE ON audit_chain FOR EACH ROW EXECUTE FUNCTION refuse_history_change();
CREATE TRIGGER audit_chain_no_truncate BEFORE TRUNCATE ON audit_chain FOR EACH STATEMENT EXECUTE FUNCTION refuse_history_change();
