-- AlterTable
ALTER TABLE "audit_entry" ADD COLUMN     "detail" JSONB;

-- What the Prisma schema cannot say.

-- Security events are entries of the same chains. Chain 0 is the installation's, for events that belong to no practice.
ALTER TABLE audit_entry
  DROP CONSTRAINT audit_entry_actor,
  DROP CONSTRAINT audit_entry_kind,
  ADD CONSTRAINT audit_entry_actor CHECK (actor_type IN ('client', 'staff', 'system', 'link', 'anonymous')),
  ADD CONSTRAINT audit_entry_kind CHECK (kind IN ('read', 'change', 'security')),
  ADD CONSTRAINT audit_entry_chain CHECK (practice_id > 0 OR kind = 'security'),
  ADD CONSTRAINT audit_entry_detail CHECK ((kind = 'security') = (detail IS NOT NULL));

-- The detail is hashed where it is set, so entries written before it existed keep their hashes. The function runs with its
-- owner's rights: whoever inserts an entry needs no right to move the end of a chain.
CREATE OR REPLACE FUNCTION chain_audit_entry() RETURNS trigger LANGUAGE plpgsql
SECURITY DEFINER SET search_path = public, pg_temp AS $$
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
    || audit_field(NEW.reason) || audit_field(NEW.request_id)
    || CASE WHEN NEW.detail IS NULL THEN '' ELSE audit_field(NEW.detail::text) END, 'UTF8'));
  UPDATE audit_chain SET seq = NEW.seq, hash = NEW.hash WHERE practice_id = NEW.practice_id;
  RETURN NEW;
END $$;
