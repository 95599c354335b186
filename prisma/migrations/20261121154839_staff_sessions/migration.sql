-- CreateTable
CREATE TABLE "staff_session" (
    "id" UUID NOT NULL,
    "user_id" BIGINT NOT NULL,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "seen_date" TIMESTAMPTZ(3) NOT NULL,
    "ended_date" TIMESTAMPTZ(3),
    "address" TEXT,
    "user_agent" TEXT,

    CONSTRAINT "staff_session_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "staff_session_user_id_idx" ON "staff_session"("user_id");

-- CreateIndex
CREATE INDEX "staff_session_seen_date_idx" ON "staff_session"("seen_date");

-- AddForeignKey
ALTER TABLE "staff_session" ADD CONSTRAINT "staff_session_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "staff_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the Prisma schema cannot say.

-- The staff's search: beginnings of names and member ids, in any collation of the database.
CREATE INDEX patient_last_name_prefix ON patient (practice_id, lower(last_name) text_pattern_ops) WHERE deleted_date IS NULL;
CREATE INDEX patient_first_name_prefix ON patient (practice_id, lower(first_name) text_pattern_ops) WHERE deleted_date IS NULL;
CREATE INDEX patient_insurance_member_prefix ON patient_insurance (practice_id, lower(member_id) text_pattern_ops)
  WHERE deleted_date IS NULL;
