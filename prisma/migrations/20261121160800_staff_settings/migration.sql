-- Changes of accounts and of API clients are counted: their history stands in record_version.
ALTER TABLE "staff_user" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;
ALTER TABLE "oauth_client" ADD COLUMN "version" INTEGER NOT NULL DEFAULT 1;

-- CreateTable
CREATE TABLE "client_use" (
    "client_id" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "calls" BIGINT NOT NULL DEFAULT 0,
    "tokens" BIGINT NOT NULL DEFAULT 0,
    "last_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "client_use_pkey" PRIMARY KEY ("client_id","day")
);

-- CreateTable
CREATE TABLE "policy_use" (
    "practice_id" BIGINT NOT NULL,
    "client_id" BIGINT NOT NULL,
    "day" DATE NOT NULL,
    "calls" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "policy_use_pkey" PRIMARY KEY ("practice_id","client_id","day")
);

-- CreateIndex
CREATE INDEX "audit_entry_practice_id_occurred_date_seq_idx" ON "audit_entry"("practice_id", "occurred_date", "seq");

-- CreateIndex
CREATE INDEX "audit_entry_practice_id_actor_type_actor_id_occurred_date_s_idx" ON "audit_entry"("practice_id", "actor_type", "actor_id", "occurred_date", "seq", "kind");
