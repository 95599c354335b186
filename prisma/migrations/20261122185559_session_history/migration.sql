-- AlterTable
ALTER TABLE "staff_session" ADD COLUMN     "end_reason" TEXT;

-- What the Prisma schema cannot say.
ALTER TABLE staff_session
  ADD CONSTRAINT staff_session_end_reason
    CHECK (end_reason IN ('signed_out', 'idle', 'age', 'password_changed', 'disabled', 'removed')),
  ADD CONSTRAINT staff_session_end CHECK (end_reason IS NULL OR ended_date IS NOT NULL);
-- Sessions that are not over: what the search for expired ones goes through.
CREATE INDEX staff_session_open ON staff_session (seen_date) WHERE ended_date IS NULL;
