-- AlterTable
ALTER TABLE "published_event" ADD COLUMN     "attempts_before" INTEGER NOT NULL DEFAULT 0,
ADD COLUMN     "failed_date" TIMESTAMPTZ(3);

-- What the Prisma schema cannot say.

-- Whether an event of a paused subscription waits is for the subscription alone to say: a state of the event's own could
-- contradict it when a change and a resumption meet.
UPDATE published_event SET delivery = 'pending' WHERE delivery = 'held';
UPDATE published_event SET failed_date = modified_date WHERE delivery = 'failed';
ALTER TABLE published_event
  DROP CONSTRAINT published_event_delivery,
  ADD CONSTRAINT published_event_delivery CHECK (delivery IN ('pending', 'sending', 'delivered', 'failed', 'canceled')),
  ADD CONSTRAINT published_event_failed CHECK (delivery <> 'failed' OR failed_date IS NOT NULL);
DROP INDEX published_event_stopped;
CREATE INDEX published_event_failed ON published_event (subscription_id, id) WHERE delivery = 'failed';

-- Answers that were kept before the audit: whom they show is in the path, or in the address of what was made.
UPDATE idempotency_key
SET patients = array_remove(
  ARRAY[substring(path || ' ' || coalesce(headers->>'location', '') FROM '/patients/([0-9]{1,16})')::bigint], NULL)
WHERE state = 'answered' AND patients IS NULL;
ALTER TABLE idempotency_key ADD CONSTRAINT idempotency_key_patients CHECK (state <> 'answered' OR patients IS NOT NULL);

-- An entry always says whose data it was about.
ALTER TABLE audit_entry ADD CONSTRAINT audit_entry_patients CHECK (patients IS NOT NULL);
