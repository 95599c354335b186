-- The database of Crosswalk. prisma/schema describes the same tables and their columns for the typed code; this file adds what
-- Prisma can't express: checks, partial indexes, triggers and functions. Each is next to the table it protects.
--
-- The owner of the tables applies this file. The server connects as a role that owns nothing (scripts/lib/grants.mjs lists its rights),
-- so the guards below hold for the server too. Functions declared SECURITY DEFINER run with the owner's rights: they check for
-- themselves that the change they make is allowed. They set search_path so that a temporary table can't take the place of a real one.

-- Rejects the statement: the trigger function of everything that is append-only.
CREATE FUNCTION reject_history_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END $$;

-- ==================== Practices ====================

-- The tenant boundary above practices: clients and staff of one organization never see the practices of another.
CREATE TABLE organization (
  id BIGSERIAL PRIMARY KEY,
  name TEXT NOT NULL
);

CREATE TYPE deprecation_mode AS ENUM ('announce', 'enforce');

-- A practice, with its Insurance Versioning switch and the deprecation schedule of its legacy insurances.
CREATE TABLE practice (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  name TEXT NOT NULL,
  address_line1 TEXT NOT NULL DEFAULT '',
  address_line2 TEXT NOT NULL DEFAULT '',
  city TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT '',
  zip TEXT NOT NULL DEFAULT '',
  timezone TEXT NOT NULL DEFAULT 'America/New_York',
  status TEXT NOT NULL DEFAULT 'active',
  metadata JSONB,
  version INTEGER NOT NULL DEFAULT 1,
  insurance_versioning_enabled BOOLEAN NOT NULL DEFAULT FALSE,
  deprecation_date DATE NOT NULL DEFAULT '2025-10-31',
  deprecation_mode deprecation_mode NOT NULL DEFAULT 'announce',
  rehearsal_time TIMESTAMPTZ(3),
  created_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  modified_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX practice_organization_id_idx ON practice (organization_id);

-- A physician of a practice.
CREATE TABLE physician (
  id BIGSERIAL PRIMARY KEY,
  practice_id BIGINT NOT NULL REFERENCES practice (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  external_id BIGINT,
  first_name TEXT NOT NULL,
  last_name TEXT NOT NULL,
  credentials TEXT,
  email TEXT NOT NULL,
  fax TEXT NOT NULL DEFAULT '',
  npi TEXT NOT NULL,
  license TEXT NOT NULL,
  license_state TEXT NOT NULL,
  specialty TEXT NOT NULL DEFAULT '',
  is_active BOOLEAN NOT NULL DEFAULT TRUE,
  user_id BIGINT,
  metadata JSONB,
  version INTEGER NOT NULL DEFAULT 1,
  created_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  modified_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE INDEX physician_practice_id_last_name_idx ON physician (practice_id, last_name);
CREATE INDEX physician_npi_idx ON physician (npi);
CREATE UNIQUE INDEX physician_practice_id_external_id_key ON physician (practice_id, external_id);

-- The weekly hours in which a physician takes appointments.
CREATE TABLE provider_availability (
  id BIGSERIAL PRIMARY KEY,
  physician_id BIGINT NOT NULL REFERENCES physician (id) ON DELETE CASCADE ON UPDATE CASCADE,
  weekday SMALLINT NOT NULL,
  start_time TEXT NOT NULL,
  end_time TEXT NOT NULL,
  service_location_id BIGINT,
  appointment_types JSONB NOT NULL DEFAULT '[]'
);
CREATE INDEX provider_availability_physician_id_weekday_start_time_idx ON provider_availability (physician_id, weekday, start_time);

-- The version history of practice-level records. Patients and policies have separate tables.
CREATE TABLE record_version (
  record_type TEXT NOT NULL,
  record_id BIGINT NOT NULL,
  version INTEGER NOT NULL,
  practice_id BIGINT,
  kind TEXT NOT NULL,
  changes JSONB NOT NULL,
  actor JSONB NOT NULL,
  source TEXT NOT NULL,
  reason TEXT,
  request_id TEXT,
  occurred_date TIMESTAMPTZ(3) NOT NULL,
  recorded_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (record_type, record_id, version)
);
CREATE INDEX record_version_practice_id_recorded_date_idx ON record_version (practice_id, recorded_date);

-- Keeps the history append-only for every role.
CREATE TRIGGER record_version_append_only BEFORE UPDATE OR DELETE ON record_version
  FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER record_version_no_truncate BEFORE TRUNCATE ON record_version
  FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- ==================== Payers ====================

-- A payer as a practice knows it.
CREATE TABLE insurance_company (
  id BIGSERIAL PRIMARY KEY,
  practice_id BIGINT NOT NULL REFERENCES practice (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  external_id BIGINT,
  carrier TEXT NOT NULL,
  aliases TEXT,
  address TEXT NOT NULL DEFAULT '',
  suite TEXT,
  city TEXT NOT NULL DEFAULT '',
  state TEXT NOT NULL DEFAULT '',
  zip TEXT NOT NULL DEFAULT '',
  phone TEXT,
  extension TEXT,
  payer_id TEXT,
  eligibility_payer_id TEXT,
  external_vendor_id TEXT,
  insurance_type TEXT,
  is_credentialed BOOLEAN,
  is_enrolled BOOLEAN,
  version INTEGER NOT NULL DEFAULT 1,
  created_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  modified_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_date TIMESTAMPTZ(3)
);
CREATE INDEX insurance_company_practice_id_carrier_idx ON insurance_company (practice_id, carrier);
CREATE UNIQUE INDEX insurance_company_practice_id_external_id_key ON insurance_company (practice_id, external_id);

-- A plan that a payer offers.
CREATE TABLE insurance_plan (
  id BIGSERIAL PRIMARY KEY,
  practice_id BIGINT NOT NULL REFERENCES practice (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  insurance_company_id BIGINT NOT NULL REFERENCES insurance_company (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  name TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  created_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  modified_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  deleted_date TIMESTAMPTZ(3)
);
CREATE INDEX insurance_plan_practice_id_idx ON insurance_plan (practice_id);
CREATE INDEX insurance_plan_insurance_company_id_idx ON insurance_plan (insurance_company_id);

-- ==================== API clients ====================

-- An API client of an organization.
CREATE TABLE oauth_client (
  id BIGSERIAL PRIMARY KEY,
  client_id TEXT NOT NULL,
  name TEXT NOT NULL,
  organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  scoped_tokens BOOLEAN NOT NULL DEFAULT FALSE,
  allowed_scopes TEXT[] NOT NULL,
  disabled_date TIMESTAMPTZ(3),
  created_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  version INTEGER NOT NULL DEFAULT 1
);
CREATE UNIQUE INDEX oauth_client_client_id_key ON oauth_client (client_id);

-- The hashed secrets of a client. A client has two valid ones while it rotates them.
CREATE TABLE oauth_client_secret (
  id BIGSERIAL PRIMARY KEY,
  client_id BIGINT NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE ON UPDATE CASCADE,
  secret_hash BYTEA NOT NULL,
  created_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  expires_date TIMESTAMPTZ(3)
);
CREATE INDEX oauth_client_secret_client_id_idx ON oauth_client_secret (client_id);

-- The practices a client may access.
CREATE TABLE oauth_client_practice (
  client_id BIGINT NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE ON UPDATE CASCADE,
  practice_id BIGINT NOT NULL REFERENCES practice (id) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (client_id, practice_id)
);

-- The access tokens issued to clients. Only their hashes are stored.
CREATE TABLE oauth_token (
  token_hash BYTEA PRIMARY KEY,
  client_id BIGINT NOT NULL REFERENCES oauth_client (id) ON DELETE CASCADE ON UPDATE CASCADE,
  secret_id BIGINT NOT NULL REFERENCES oauth_client_secret (id) ON DELETE CASCADE ON UPDATE CASCADE,
  scopes TEXT[] NOT NULL,
  created_date TIMESTAMPTZ(3) NOT NULL,
  expires_date TIMESTAMPTZ(3) NOT NULL,
  revoked_date TIMESTAMPTZ(3)
);
CREATE INDEX oauth_token_client_id_idx ON oauth_token (client_id);
CREATE INDEX oauth_token_secret_id_idx ON oauth_token (secret_id);
CREATE INDEX oauth_token_expires_date_idx ON oauth_token (expires_date);

CREATE TYPE idempotency_state AS ENUM ('in_flight', 'applied', 'completed');

-- The stored responses to requests with an Idempotency-Key. A negative client_id is a staff user.
CREATE TABLE idempotency_key (
  client_id BIGINT NOT NULL,
  key TEXT NOT NULL,
  fingerprint TEXT NOT NULL,
  path TEXT NOT NULL DEFAULT '',
  state idempotency_state NOT NULL,
  lease UUID NOT NULL,
  leased_until TIMESTAMPTZ(3) NOT NULL,
  status INTEGER,
  headers JSONB,
  body TEXT,
  patients BIGINT[],
  unnamed BIGINT[],
  created_date TIMESTAMPTZ(3) NOT NULL,
  expires_date TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (client_id, key),
  -- A stored response names the patients it shows, because sending it again is a read of their data.
  CONSTRAINT idempotency_key_patients CHECK (state <> 'completed' OR patients IS NOT NULL)
);
CREATE INDEX idempotency_key_expires_date_idx ON idempotency_key (expires_date);

-- The daily calls and tokens of each client, for its usage page.
CREATE TABLE client_usage (
  client_id BIGINT NOT NULL,
  day DATE NOT NULL,
  calls BIGINT NOT NULL DEFAULT 0,
  tokens BIGINT NOT NULL DEFAULT 0,
  last_date TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (client_id, day)
);
CREATE INDEX client_usage_day_idx ON client_usage (day);

-- The daily calls of the policy endpoints by client and practice, which show who has migrated.
CREATE TABLE policy_usage (
  practice_id BIGINT NOT NULL,
  client_id BIGINT NOT NULL,
  day DATE NOT NULL,
  calls BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (practice_id, client_id, day)
);
CREATE INDEX policy_usage_day_idx ON policy_usage (day);

-- The daily calls of the legacy insurance endpoints by client and practice, which show who still has to migrate.
CREATE TABLE legacy_usage (
  practice_id BIGINT NOT NULL,
  client_id BIGINT NOT NULL,
  endpoint TEXT NOT NULL,
  day DATE NOT NULL,
  reads BIGINT NOT NULL DEFAULT 0,
  writes BIGINT NOT NULL DEFAULT 0,
  PRIMARY KEY (practice_id, client_id, endpoint, day)
);
CREATE INDEX legacy_usage_day_idx ON legacy_usage (day);

-- ==================== Staff ====================

CREATE TYPE staff_role AS ENUM ('admin', 'staff', 'viewer');

-- A staff account. It belongs to one organization; the same address may have an account in another.
CREATE TABLE staff_user (
  id BIGSERIAL PRIMARY KEY,
  organization_id BIGINT NOT NULL REFERENCES organization (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  email TEXT NOT NULL,
  name TEXT NOT NULL,
  password_hash TEXT NOT NULL,
  role staff_role NOT NULL,
  can_export BOOLEAN NOT NULL DEFAULT FALSE,
  created_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  disabled_date TIMESTAMPTZ(3),
  version INTEGER NOT NULL DEFAULT 1,
  -- Sign-in compares addresses without regard to case.
  CONSTRAINT staff_user_email_lower CHECK (email = lower(email))
);
CREATE INDEX staff_user_email_idx ON staff_user (email);
CREATE UNIQUE INDEX staff_user_organization_id_email_key ON staff_user (organization_id, email);

-- The practices a staff user belongs to.
CREATE TABLE staff_user_practice (
  id BIGSERIAL NOT NULL,
  user_id BIGINT NOT NULL REFERENCES staff_user (id) ON DELETE CASCADE ON UPDATE CASCADE,
  practice_id BIGINT NOT NULL REFERENCES practice (id) ON DELETE CASCADE ON UPDATE CASCADE,
  PRIMARY KEY (user_id, practice_id)
);
CREATE UNIQUE INDEX staff_user_practice_id_key ON staff_user_practice (id);

-- Rejects a membership in a practice of another organization, whichever code writes it.
CREATE FUNCTION require_own_organization() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF EXISTS (SELECT FROM staff_user u, practice p
    WHERE u.id = NEW.user_id AND p.id = NEW.practice_id AND u.organization_id <> p.organization_id) THEN
    RAISE EXCEPTION 'account % belongs to another organization than practice %', NEW.user_id, NEW.practice_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'staff_user_practice_organization';
  END IF;
  RETURN NEW;
END $$;

-- Checks each membership.
CREATE TRIGGER staff_user_practice_organization BEFORE INSERT OR UPDATE ON staff_user_practice
  FOR EACH ROW EXECUTE FUNCTION require_own_organization();

CREATE TYPE session_end_reason AS ENUM ('signed_out', 'idle', 'age', 'password_changed', 'disabled', 'removed');

-- A sign-in in one browser, kept as history after it ended.
CREATE TABLE staff_session (
  id UUID PRIMARY KEY,
  user_id BIGINT NOT NULL REFERENCES staff_user (id) ON DELETE CASCADE ON UPDATE CASCADE,
  created_date TIMESTAMPTZ(3) NOT NULL,
  seen_date TIMESTAMPTZ(3) NOT NULL,
  ended_date TIMESTAMPTZ(3),
  end_reason session_end_reason,
  address TEXT,
  user_agent TEXT,
  CONSTRAINT staff_session_end CHECK (end_reason IS NULL OR ended_date IS NOT NULL)
);
CREATE INDEX staff_session_user_id_idx ON staff_session (user_id);
CREATE INDEX staff_session_seen_date_idx ON staff_session (seen_date);
-- Finds sessions to expire.
CREATE INDEX staff_session_open ON staff_session (seen_date) WHERE ended_date IS NULL;

-- Failed sign-ins per account and address, in the format of rate-limiter-flexible.
CREATE TABLE failed_sign_in (
  key VARCHAR(255) PRIMARY KEY,
  points INTEGER NOT NULL DEFAULT 0,
  expire BIGINT
);
CREATE INDEX failed_sign_in_expire_idx ON failed_sign_in (expire);

-- ==================== Audit ====================

CREATE TYPE actor_type AS ENUM ('anonymous', 'client', 'link', 'staff', 'system');
CREATE TYPE audit_kind AS ENUM ('read', 'change', 'security');

-- Who read or changed which patients' data, and security events. An entry is inserted here in the transaction of its change, without
-- a lock and without the indexes of a search. seal_audit() moves it to audit_entry, usually within a second (ADR 0190).
CREATE TABLE audit_pending (
  id BIGSERIAL PRIMARY KEY,
  practice_id BIGINT NOT NULL,
  occurred_date TIMESTAMPTZ(3) NOT NULL,
  actor_type actor_type NOT NULL,
  actor_id BIGINT,
  actor_name TEXT NOT NULL,
  kind audit_kind NOT NULL,
  operation TEXT NOT NULL,
  path TEXT,
  patients BIGINT[] NOT NULL,
  source TEXT NOT NULL,
  address TEXT,
  reason TEXT,
  request_id TEXT,
  detail JSONB,
  -- Chain 0 holds security events of the installation, which belong to no practice.
  CONSTRAINT audit_pending_chain CHECK (practice_id > 0 OR kind = 'security'),
  CONSTRAINT audit_pending_detail CHECK ((kind = 'security') = (detail IS NOT NULL))
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- Sealed entries: one hash chain for each practice. `id` is the one from audit_pending. Partitioned by the year in which entries were
-- sealed, so that all entries of a block are in one partition, and those of earlier blocks in the same one or an earlier one (ADR 0195).
CREATE TABLE audit_entry (
  practice_id BIGINT NOT NULL,
  seq BIGINT NOT NULL,
  id BIGINT NOT NULL,
  occurred_date TIMESTAMPTZ(3) NOT NULL,
  actor_type actor_type NOT NULL,
  actor_id BIGINT,
  actor_name TEXT NOT NULL,
  kind audit_kind NOT NULL,
  operation TEXT NOT NULL,
  path TEXT,
  patients BIGINT[] NOT NULL,
  source TEXT NOT NULL,
  address TEXT,
  reason TEXT,
  request_id TEXT,
  detail JSONB,
  hash BYTEA NOT NULL,
  sealed_date TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (practice_id, seq, sealed_date),
  CONSTRAINT audit_entry_chain CHECK (practice_id > 0 OR kind = 'security'),
  CONSTRAINT audit_entry_detail CHECK ((kind = 'security') = (detail IS NOT NULL))
) PARTITION BY RANGE (sealed_date);
CREATE INDEX audit_entry_patients_idx ON audit_entry USING gin (patients);
CREATE INDEX audit_entry_practice_id_occurred_date_id_idx ON audit_entry (practice_id, occurred_date, id);
CREATE INDEX audit_entry_practice_id_actor_type_actor_id_occurred_date_i_idx
  ON audit_entry (practice_id, actor_type, actor_id, occurred_date, id, kind);
-- Lists the security events, which are few, without a walk over all entries.
CREATE INDEX audit_entry_security ON audit_entry (practice_id, occurred_date, id) WHERE kind = 'security';

-- The links of each chain: a block seals the entries from first_seq to last_seq. `id` is in the order of the commits, because only one
-- session seals at a time.
CREATE TABLE audit_block (
  practice_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  id BIGSERIAL NOT NULL,
  first_seq BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  prev_hash BYTEA NOT NULL,
  hash BYTEA NOT NULL,
  sealed_date TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (practice_id, number, sealed_date)
) PARTITION BY RANGE (sealed_date);
CREATE INDEX audit_block_id_idx ON audit_block (id);

-- How far each chain was removed by retention: up to the last entry of block `number`. All of it was sealed before the date.
CREATE TABLE audit_removal (
  practice_id BIGINT NOT NULL,
  number BIGINT NOT NULL,
  last_seq BIGINT NOT NULL,
  hash BYTEA NOT NULL,
  sealed_before TIMESTAMPTZ(3) NOT NULL,
  removed_date TIMESTAMPTZ(3) NOT NULL,
  PRIMARY KEY (practice_id, number)
);

-- The last block whose line was written to a destination of anchors (AUDIT_ANCHORS).
CREATE TABLE audit_anchor (
  destination TEXT PRIMARY KEY,
  block_id BIGINT NOT NULL
);

-- All entries, sealed or not. `seq` is null until an entry is sealed; `id` stays the same.
CREATE VIEW audit_log AS
  SELECT id, practice_id, seq, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients, source, address, reason,
    request_id, detail
  FROM audit_entry
  UNION ALL
  SELECT id, practice_id, NULL::bigint, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients, source, address,
    reason, request_id, detail
  FROM audit_pending;

-- Encodes a field of a hashed text with its length in bytes, so that no two entries produce the same text.
CREATE FUNCTION audit_field(value text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE WHEN value IS NULL THEN '-' ELSE octet_length(convert_to(value, 'UTF8')) || ':' || value END;
$$;

-- Encodes a time of a hashed text.
CREATE FUNCTION audit_time(value timestamptz) RETURNS text LANGUAGE sql STABLE AS $$
  SELECT audit_field(to_char(value AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
$$;

-- Creates the partitions of a year if they don't exist. Nothing that uses the tables is blocked: attaching a table excludes only
-- other changes of the schema.
CREATE FUNCTION create_audit_partitions(of_year integer) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  parent text;
  name text;
BEGIN
  FOREACH parent IN ARRAY ARRAY['audit_entry', 'audit_block'] LOOP
    name := format('%s_%s', parent, of_year);
    CONTINUE WHEN to_regclass(name) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING DEFAULTS INCLUDING CONSTRAINTS INCLUDING INDEXES)', name, parent);
    -- Triggers for rows are those of the parent.
    EXECUTE format('CREATE TRIGGER %I BEFORE TRUNCATE ON %I FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change()',
      name || '_no_truncate', name);
    EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', parent, name,
      make_timestamptz(of_year, 1, 1, 0, 0, 0, 'UTC'), make_timestamptz(of_year + 1, 1, 1, 0, 0, 0, 'UTC'));
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION create_audit_partitions FROM PUBLIC;

-- Moves committed entries with a higher ID than after_id, the oldest at_most of them, to audit_entry: gives each its number and its hash, and
-- seals those of each practice in a block. Returns how many and the highest ID, or a null if another session is sealing. Everything
-- happens in the transaction of the call, so a killed caller leaves a block with its entries, or nothing. Security definer: the server may
-- add entries, but not remove or seal them in another way.
CREATE FUNCTION seal_audit(after_id bigint, at_most integer, OUT sealed integer, OUT upto bigint) LANGUAGE plpgsql SECURITY DEFINER
-- The table is small when its statistics are collected, and large after a backlog.
SET search_path = public, pg_temp SET enable_seqscan = off AS $$
DECLARE
  sealing_date timestamptz(3) := clock_timestamp();
BEGIN
  IF NOT pg_try_advisory_xact_lock(hashtextextended('seal audit', 0)) THEN
    RETURN;
  END IF;
  sealed := 0;
  SELECT max(id) INTO upto FROM (SELECT id FROM audit_pending WHERE id > after_id ORDER BY id LIMIT at_most) AS oldest;
  IF upto IS NULL THEN
    RETURN;
  END IF;
  PERFORM create_audit_partitions(extract(year FROM sealing_date AT TIME ZONE 'UTC')::integer);
  PERFORM set_config('crosswalk.sealing', 'on', true);
  WITH taken AS MATERIALIZED (
    DELETE FROM audit_pending WHERE id > after_id AND id <= upto RETURNING *
  ), ends AS MATERIALIZED (
    SELECT p.practice_id, coalesce(b.number, r.number, 0) AS number, coalesce(b.last_seq, r.last_seq, 0) AS last_seq,
      coalesce(b.hash, r.hash, '') AS hash,
      -- Never earlier than the previous block, even if the clock was set back, so that removals of a year leave no gap.
      greatest(sealing_date, b.sealed_date) AS sealed_date
    FROM (SELECT DISTINCT practice_id FROM taken) AS p LEFT JOIN LATERAL (
      SELECT number, last_seq, hash, sealed_date FROM audit_block WHERE practice_id = p.practice_id ORDER BY number DESC LIMIT 1) AS b ON TRUE
    LEFT JOIN LATERAL (
      SELECT number, last_seq, hash FROM audit_removal WHERE practice_id = p.practice_id AND b.number IS NULL
      ORDER BY number DESC LIMIT 1) AS r ON TRUE
  ), numbered AS (
    SELECT t.*, e.number + 1 AS number, e.last_seq + 1 AS first_seq, e.hash AS prev_hash, e.sealed_date,
      e.last_seq + row_number() OVER (PARTITION BY t.practice_id ORDER BY t.id) AS seq
    FROM taken AS t JOIN ends AS e USING (practice_id)
  ), hashed AS MATERIALIZED (
    SELECT n.*, sha256(convert_to(
      audit_field(practice_id::text) || audit_field(seq::text) || audit_field(id::text) || audit_time(occurred_date)
      || audit_field(actor_type::text) || audit_field(actor_id::text) || audit_field(actor_name)
      || audit_field(kind::text) || audit_field(operation) || audit_field(path)
      || audit_field(array_to_string(patients, ',')) || audit_field(source) || audit_field(address)
      || audit_field(reason) || audit_field(request_id)
      || CASE WHEN detail IS NULL THEN '' ELSE audit_field(detail::text) END, 'UTF8')) AS hash
    FROM numbered AS n
  ), moved AS (
    INSERT INTO audit_entry (practice_id, seq, id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
      source, address, reason, request_id, detail, hash, sealed_date)
    SELECT practice_id, seq, id, occurred_date, actor_type, actor_id, actor_name, kind, operation, path, patients,
      source, address, reason, request_id, detail, hash, sealed_date
    FROM hashed ORDER BY practice_id, seq
  ), blocks AS (
    INSERT INTO audit_block (practice_id, number, first_seq, last_seq, prev_hash, hash, sealed_date)
    SELECT practice_id, number, first_seq, max(seq), prev_hash, sha256(convert_to(
      audit_field(encode(prev_hash, 'hex')) || audit_field(practice_id::text) || audit_field(number::text)
      || audit_field(first_seq::text) || audit_field(max(seq)::text) || audit_time(sealed_date), 'UTF8')
      || string_agg(hash, '' ORDER BY seq)), sealed_date
    FROM hashed GROUP BY practice_id, number, first_seq, prev_hash, sealed_date ORDER BY practice_id
  )
  SELECT count(*) INTO sealed FROM hashed;
  PERFORM set_config('crosswalk.sealing', '', true);
END $$;
REVOKE ALL ON FUNCTION seal_audit FROM PUBLIC;

-- Removes the oldest calendar year of the audit (UTC), if all of it was sealed before a date and at least six years ago (2,192 days), for
-- which HIPAA requires documentation to be kept. Returns the year, or null if none is that old. Notes how far each chain was removed, and
-- adds an entry that says so. Fails with lock_not_available if the audit is in use, because requests would queue behind a lock that it
-- waits for; the caller tries again. Security definer: the server may not choose which entries to delete.
CREATE FUNCTION remove_audit_year(sealed_before timestamptz) RETURNS integer LANGUAGE plpgsql SECURITY DEFINER
SET search_path = public, pg_temp AS $$
DECLARE
  oldest integer;
  entries text;
  blocks text;
  ends timestamptz(3);
BEGIN
  -- One removal at a time, and none while entries are sealed.
  PERFORM pg_advisory_xact_lock(hashtextextended('seal audit', 0));
  SELECT min(substring(inhrelid::regclass::text FROM '[0-9]+$')::integer) INTO oldest
  FROM pg_inherits WHERE inhparent = 'audit_block'::regclass;
  ends := make_timestamptz(oldest + 1, 1, 1, 0, 0, 0, 'UTC');
  IF ends IS NULL OR ends > least(sealed_before, clock_timestamp() - interval '2192 days') THEN
    RETURN NULL;
  END IF;
  entries := format('audit_entry_%s', oldest);
  blocks := format('audit_block_%s', oldest);
  EXECUTE format($sql$
    WITH RECURSIVE own(practice_id) AS (
      SELECT min(practice_id) FROM %1$I
      UNION ALL
      SELECT (SELECT min(b.practice_id) FROM %1$I AS b WHERE b.practice_id > own.practice_id) FROM own WHERE practice_id IS NOT NULL
    ), noted AS (
      INSERT INTO audit_removal (practice_id, number, last_seq, hash, sealed_before, removed_date)
      SELECT own.practice_id, b.number, b.last_seq, b.hash, $1, clock_timestamp()
      FROM own CROSS JOIN LATERAL (
        SELECT number, last_seq, hash FROM %1$I WHERE practice_id = own.practice_id ORDER BY number DESC LIMIT 1) AS b
      RETURNING practice_id, last_seq
    )
    INSERT INTO audit_pending (practice_id, occurred_date, actor_type, actor_name, kind, operation, patients, source, detail)
    SELECT practice_id, clock_timestamp(), 'system', 'Housekeeping', 'security', 'audit.removed', '{}', 'staff',
      jsonb_build_object('facts', jsonb_build_object('sealed_before', to_char($1 AT TIME ZONE 'UTC', 'YYYY-MM-DD'), 'last_entry', last_seq))
    FROM noted$sql$, blocks) USING ends;
  -- From here to the commit, which takes milliseconds, nobody can read the audit.
  EXECUTE format('LOCK TABLE ONLY audit_entry, ONLY audit_block, ONLY %I, ONLY %I IN ACCESS EXCLUSIVE MODE NOWAIT', entries, blocks);
  EXECUTE format('DROP TABLE %I, %I', entries, blocks);
  RETURN oldest;
END $$;
REVOKE ALL ON FUNCTION remove_audit_year FROM PUBLIC;

-- Keeps the audit append-only for every role. Only seal_audit() removes an entry, which it moves.
CREATE TRIGGER audit_pending_no_update BEFORE UPDATE ON audit_pending FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_pending_no_delete BEFORE DELETE ON audit_pending FOR EACH STATEMENT
  WHEN (current_setting('crosswalk.sealing', true) IS DISTINCT FROM 'on') EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_pending_no_truncate BEFORE TRUNCATE ON audit_pending FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_entry_append_only BEFORE UPDATE OR DELETE ON audit_entry
  FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_entry_no_truncate BEFORE TRUNCATE ON audit_entry FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_block_append_only BEFORE UPDATE OR DELETE ON audit_block
  FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_block_no_truncate BEFORE TRUNCATE ON audit_block FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_removal_append_only BEFORE UPDATE OR DELETE ON audit_removal
  FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER audit_removal_no_truncate BEFORE TRUNCATE ON audit_removal FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- ==================== Patients ====================

-- The demographics of a patient.
CREATE TABLE patient (
  id BIGSERIAL PRIMARY KEY,
  practice_id BIGINT NOT NULL REFERENCES practice (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  primary_physician_id BIGINT NOT NULL REFERENCES physician (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  external_id BIGINT,
  source_fingerprint TEXT,
  master_patient BIGINT,
  first_name TEXT NOT NULL,
  middle_name TEXT NOT NULL DEFAULT '',
  last_name TEXT NOT NULL,
  dob DATE NOT NULL,
  sex TEXT NOT NULL,
  details JSONB NOT NULL DEFAULT '{}',
  phones JSONB NOT NULL DEFAULT '[]',
  version INTEGER NOT NULL DEFAULT 1,
  created_date TIMESTAMPTZ(3) NOT NULL,
  last_modified TIMESTAMPTZ(3) NOT NULL,
  deleted_date TIMESTAMPTZ(3)
);
-- Lists and counts leave out deleted patients. Counts read only this index.
CREATE INDEX patient_of_practice ON patient (practice_id, id) WHERE deleted_date IS NULL;
CREATE INDEX patient_practice_id_dob_idx ON patient (practice_id, dob);
CREATE INDEX patient_practice_id_last_modified_idx ON patient (practice_id, last_modified);
-- Most patients were not imported.
CREATE UNIQUE INDEX patient_external ON patient (practice_id, external_id) WHERE external_id IS NOT NULL;
CREATE INDEX patient_phones ON patient USING gin (phones jsonb_path_ops);
-- Finds and sorts names without regard to case, and finds their beginnings, which needs an order by bytes.
CREATE INDEX patient_last_name ON patient (practice_id, (lower(last_name) COLLATE "C"), id);
CREATE INDEX patient_first_name ON patient (practice_id, (lower(first_name) COLLATE "C"), id);

-- A legacy insurance of a patient. policy_id is the policy that replicates it.
CREATE TABLE patient_insurance (
  id BIGSERIAL PRIMARY KEY,
  patient_id BIGINT NOT NULL REFERENCES patient (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  practice_id BIGINT NOT NULL,
  policy_id BIGINT NOT NULL,
  external_id BIGINT,
  rank SMALLINT NOT NULL,
  carrier TEXT,
  insurance_company BIGINT REFERENCES insurance_company (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  plan TEXT,
  insurance_plan BIGINT REFERENCES insurance_plan (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  member_id TEXT,
  group_id TEXT,
  copay NUMERIC(10, 2),
  deductible NUMERIC(10, 2),
  start_date DATE,
  end_date DATE,
  payment_program TEXT,
  relationship_to_insured TEXT,
  insured_person_first_name TEXT,
  insured_person_last_name TEXT,
  insured_person_dob TEXT,
  insured_person_gender TEXT,
  insured_person_ssn TEXT,
  insured_person_id TEXT,
  insured_person_address TEXT,
  insured_person_city TEXT,
  insured_person_state TEXT,
  insured_person_zip TEXT,
  address TEXT,
  suite TEXT,
  city TEXT,
  state TEXT,
  zip TEXT,
  phone TEXT,
  extension TEXT,
  created_date TIMESTAMPTZ(3) NOT NULL,
  deleted_date TIMESTAMPTZ(3),
  CONSTRAINT patient_insurance_rank CHECK (rank BETWEEN 1 AND 3)
);
CREATE UNIQUE INDEX patient_insurance_policy_id_key ON patient_insurance (policy_id);
CREATE INDEX patient_insurance_practice_id_group_id_idx ON patient_insurance (practice_id, group_id);
CREATE INDEX patient_insurance_insurance_company_idx ON patient_insurance (insurance_company);
-- Most legacy insurances have no plan.
CREATE INDEX patient_insurance_plan ON patient_insurance (insurance_plan) WHERE insurance_plan IS NOT NULL;
CREATE UNIQUE INDEX patient_insurance_external ON patient_insurance (practice_id, external_id) WHERE external_id IS NOT NULL;
-- A patient has one current insurance per rank. Also finds all insurances of a patient: past ones have no rank here, and don't collide.
CREATE UNIQUE INDEX patient_insurance_one_current_per_rank
  ON patient_insurance (patient_id, (CASE WHEN deleted_date IS NULL THEN rank END));
-- Finds member IDs and their beginnings, which needs an order by bytes.
CREATE INDEX patient_insurance_member ON patient_insurance (practice_id, (lower(member_id) COLLATE "C")) WHERE deleted_date IS NULL;

-- A card image of a legacy insurance, addressed by rank and side.
CREATE TABLE legacy_card (
  id BIGSERIAL PRIMARY KEY,
  patient_id BIGINT NOT NULL REFERENCES patient (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  rank SMALLINT NOT NULL,
  side SMALLINT NOT NULL,
  image_key UUID NOT NULL,
  sha256 TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  created_date TIMESTAMPTZ(3) NOT NULL,
  ended_date TIMESTAMPTZ(3),
  CONSTRAINT legacy_card_rank CHECK (rank BETWEEN 1 AND 3),
  CONSTRAINT legacy_card_side CHECK (side BETWEEN 1 AND 9)
);
CREATE INDEX legacy_card_patient_id_rank_side_idx ON legacy_card (patient_id, rank, side);
CREATE INDEX legacy_card_image_key_idx ON legacy_card (image_key);
-- A side of a card has one current image.
CREATE UNIQUE INDEX legacy_card_one_current_per_side ON legacy_card (patient_id, rank, side) WHERE ended_date IS NULL;

-- The version history of patients.
CREATE TABLE patient_version (
  patient_id BIGINT NOT NULL REFERENCES patient (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  version INTEGER NOT NULL,
  kind TEXT NOT NULL,
  changes JSONB NOT NULL,
  actor JSONB NOT NULL,
  source TEXT NOT NULL,
  reason TEXT,
  request_id TEXT,
  occurred_date TIMESTAMPTZ(3) NOT NULL,
  recorded_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (patient_id, version)
);

-- Allows a delete only for the patients that purge_created_patients names in a setting of its transaction.
CREATE FUNCTION guard_patient_version_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF strpos(',' || current_setting('crosswalk.removing_patient', true) || ',', ',' || OLD.patient_id || ',') > 0 THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'patient_version is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

-- Keeps the history append-only for every role.
CREATE TRIGGER patient_version_no_update BEFORE UPDATE ON patient_version FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER patient_version_no_delete BEFORE DELETE ON patient_version
  FOR EACH ROW EXECUTE FUNCTION guard_patient_version_delete();
CREATE TRIGGER patient_version_no_truncate BEFORE TRUNCATE ON patient_version
  FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- ==================== Policies ====================

CREATE TYPE policy_status AS ENUM ('active', 'archived');

-- An insurance policy. patient_insurance is the id of the legacy insurance that replicates it.
CREATE TABLE policy (
  id BIGSERIAL PRIMARY KEY,
  patient_id BIGINT NOT NULL REFERENCES patient (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  practice_id BIGINT NOT NULL,
  status policy_status NOT NULL DEFAULT 'active',
  version INTEGER NOT NULL DEFAULT 1,
  rank SMALLINT,
  patient_first_name TEXT NOT NULL,
  patient_last_name TEXT NOT NULL,
  patient_dob DATE NOT NULL,
  carrier TEXT,
  insurance_company BIGINT REFERENCES insurance_company (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  plan TEXT,
  insurance_plan BIGINT REFERENCES insurance_plan (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  member_id TEXT,
  group_id TEXT,
  copay NUMERIC(10, 2),
  deductible NUMERIC(10, 2),
  start_date DATE,
  end_date DATE,
  payment_program TEXT,
  relationship_to_insured TEXT,
  insured_person_first_name TEXT,
  insured_person_last_name TEXT,
  insured_person_dob TEXT,
  insured_person_gender TEXT,
  insured_person_ssn TEXT,
  insured_person_id TEXT,
  insured_person_address TEXT,
  insured_person_city TEXT,
  insured_person_state TEXT,
  insured_person_zip TEXT,
  address TEXT,
  suite TEXT,
  city TEXT,
  state TEXT,
  zip TEXT,
  phone TEXT,
  extension TEXT,
  patient_insurance BIGINT NOT NULL,
  created_date TIMESTAMPTZ(3) NOT NULL,
  modified_date TIMESTAMPTZ(3) NOT NULL,
  archived_date TIMESTAMPTZ(3),
  archive_reason TEXT,
  CONSTRAINT policy_rank CHECK (rank BETWEEN 1 AND 3),
  CONSTRAINT policy_version_positive CHECK (version >= 1),
  CONSTRAINT policy_archived_has_date CHECK ((status = 'archived') = (archived_date IS NOT NULL))
);
CREATE UNIQUE INDEX policy_patient_insurance_key ON policy (patient_insurance);
CREATE INDEX policy_practice_id_insurance_company_idx ON policy (practice_id, insurance_company);
-- Most policies have no plan.
CREATE INDEX policy_plan ON policy (insurance_plan) WHERE insurance_plan IS NOT NULL;
-- A patient has one active policy per rank. Also finds all policies of a patient: archived ones have no rank here, and don't collide.
CREATE UNIQUE INDEX policy_one_active_per_rank ON policy (patient_id, (CASE WHEN status = 'active' THEN rank END));

-- The whole policy after each change. It has no foreign key (ADR 0200).
CREATE TABLE policy_version (
  policy_id BIGINT NOT NULL,
  version INTEGER NOT NULL,
  patient_id BIGINT NOT NULL,
  kind TEXT NOT NULL,
  snapshot JSONB NOT NULL,
  actor JSONB NOT NULL,
  source TEXT NOT NULL,
  reason TEXT,
  request_id TEXT,
  occurred_date TIMESTAMPTZ(3) NOT NULL,
  recorded_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
  PRIMARY KEY (policy_id, version)
);
CREATE INDEX policy_version_patient_id_occurred_date_idx ON policy_version (patient_id, occurred_date);

-- Allows a delete only for the policies that a purge function names in a setting of its transaction.
CREATE FUNCTION guard_policy_version_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF strpos(',' || current_setting('crosswalk.removing_policy', true) || ',', ',' || OLD.policy_id || ',') > 0 THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'policy_version is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

-- Keeps the history append-only for every role.
CREATE TRIGGER policy_version_no_update BEFORE UPDATE ON policy_version FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER policy_version_no_delete BEFORE DELETE ON policy_version
  FOR EACH ROW EXECUTE FUNCTION guard_policy_version_delete();
CREATE TRIGGER policy_version_no_truncate BEFORE TRUNCATE ON policy_version
  FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- Likewise, only the purge functions may delete a policy. They delete its versions first.
CREATE FUNCTION guard_policy_delete() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF strpos(',' || current_setting('crosswalk.removing_policy', true) || ',', ',' || OLD.id || ',') > 0 THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'a policy can''t be deleted, because its history is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;
CREATE TRIGGER policy_no_delete BEFORE DELETE ON policy FOR EACH ROW EXECUTE FUNCTION guard_policy_delete();
CREATE TRIGGER policy_no_truncate BEFORE TRUNCATE ON policy FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- A card image of a policy, from the version that added it until the version that removed it.
CREATE TABLE policy_card_image (
  id BIGSERIAL PRIMARY KEY,
  policy_id BIGINT NOT NULL REFERENCES policy (id) ON DELETE CASCADE ON UPDATE CASCADE,
  image_rank SMALLINT NOT NULL,
  image_key UUID NOT NULL,
  sha256 TEXT NOT NULL,
  content_type TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  width INTEGER NOT NULL,
  height INTEGER NOT NULL,
  from_version INTEGER NOT NULL,
  to_version INTEGER,
  created_date TIMESTAMPTZ(3) NOT NULL,
  CONSTRAINT policy_card_image_rank CHECK (image_rank BETWEEN 1 AND 9)
);
CREATE INDEX policy_card_image_policy_id_image_rank_idx ON policy_card_image (policy_id, image_rank);
CREATE INDEX policy_card_image_image_key_idx ON policy_card_image (image_key);
-- A card image rank has one current image.
CREATE UNIQUE INDEX policy_card_image_one_current_per_rank ON policy_card_image (policy_id, image_rank) WHERE to_version IS NULL;

-- What remains of a purged policy: enough to return 410 and to say who purged it.
CREATE TABLE policy_tombstone (
  policy_id BIGINT PRIMARY KEY,
  patient_id BIGINT NOT NULL,
  practice_id BIGINT NOT NULL,
  actor JSONB NOT NULL,
  source TEXT NOT NULL,
  reason TEXT,
  request_id TEXT,
  deleted_date TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX policy_tombstone_patient_id_idx ON policy_tombstone (patient_id);

-- Keeps tombstones append-only for every role.
CREATE TRIGGER policy_tombstone_append_only BEFORE UPDATE OR DELETE ON policy_tombstone
  FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER policy_tombstone_no_truncate BEFORE TRUNCATE ON policy_tombstone
  FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- Deletes an archived policy with its versions and card images, and leaves a tombstone.
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
  DELETE FROM policy_version WHERE policy_id = p_policy;
  DELETE FROM policy WHERE id = p_policy;
END $$;
REVOKE ALL ON FUNCTION purge_policy FROM PUBLIC;

-- Images of purged records. Their files are deleted once nothing refers to them.
CREATE TABLE deleted_image (
  image_key UUID PRIMARY KEY,
  deleted_date TIMESTAMPTZ(3) NOT NULL
);

-- ==================== Replication between policies and patient demographics ====================

CREATE TYPE replication_status AS ENUM ('pending', 'failed', 'acknowledged', 'discarded');
CREATE TYPE replication_kind AS ENUM ('create', 'update', 'delete');
CREATE TYPE replication_direction AS ENUM ('policies_to_patients', 'patients_to_policies');

-- One event per write, inserted in the transaction of the write and replicated in order for each patient.
CREATE TABLE replication_event (
  id BIGSERIAL PRIMARY KEY,
  patient_id BIGINT NOT NULL,
  practice_id BIGINT NOT NULL,
  direction replication_direction NOT NULL,
  kind replication_kind NOT NULL,
  changes JSONB,
  origin JSONB NOT NULL,
  status replication_status NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  next_attempt_date TIMESTAMPTZ(3) NOT NULL,
  last_error TEXT,
  created_date TIMESTAMPTZ(3) NOT NULL,
  acknowledged_date TIMESTAMPTZ(3)
);
CREATE INDEX replication_event_practice_id_id_idx ON replication_event (practice_id, id);
-- Finds the first open event of a patient, which the later ones wait for.
CREATE INDEX replication_event_open_by_patient ON replication_event (patient_id, id) WHERE status IN ('pending', 'failed');
-- Finds events to replicate.
CREATE INDEX replication_event_due ON replication_event (next_attempt_date, id) WHERE status = 'pending';
-- Lists the events that staff must look at.
CREATE INDEX replication_event_failed ON replication_event (practice_id, id) WHERE status = 'failed';
-- Finds events whose retention has ended.
CREATE INDEX replication_event_settled ON replication_event (acknowledged_date) WHERE acknowledged_date IS NOT NULL;

-- ==================== Webhooks ====================

-- A client's subscription to the changes of one resource.
CREATE TABLE subscription (
  id BIGSERIAL PRIMARY KEY,
  client_id BIGINT NOT NULL REFERENCES oauth_client (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  resource TEXT NOT NULL,
  target TEXT NOT NULL,
  target_origin TEXT NOT NULL,
  properties JSONB,
  signing_pub_key TEXT NOT NULL,
  signing_private_key BYTEA NOT NULL,
  failing_since TIMESTAMPTZ(3),
  paused_date TIMESTAMPTZ(3),
  version INTEGER NOT NULL DEFAULT 1,
  created_date TIMESTAMPTZ(3) NOT NULL,
  modified_date TIMESTAMPTZ(3) NOT NULL,
  deleted_date TIMESTAMPTZ(3)
);
CREATE INDEX subscription_client_id_id_idx ON subscription (client_id, id);
-- A client subscribes to a resource once for each target.
CREATE UNIQUE INDEX subscription_once ON subscription (client_id, resource, target) WHERE deleted_date IS NULL;
-- Finds the subscriptions a change is delivered to.
CREATE INDEX subscription_by_resource ON subscription (resource) WHERE deleted_date IS NULL;

CREATE TYPE event_type AS ENUM ('saved', 'deleted');
CREATE TYPE delivery_state AS ENUM ('pending', 'sending', 'delivered', 'failed', 'canceled');

-- A change of one record for one subscription, inserted in the transaction of the change.
CREATE TABLE published_event (
  id BIGSERIAL PRIMARY KEY,
  event_id BIGSERIAL NOT NULL,
  event_uuid UUID NOT NULL,
  subscription_id BIGINT NOT NULL REFERENCES subscription (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  client_id BIGINT NOT NULL,
  practice_id BIGINT NOT NULL,
  event_type event_type NOT NULL,
  resource TEXT NOT NULL,
  resource_id BIGINT NOT NULL,
  target TEXT NOT NULL,
  processed_date TIMESTAMPTZ(3),
  error_content TEXT,
  status_code INTEGER,
  reported_date TIMESTAMPTZ(3),
  version INTEGER NOT NULL DEFAULT 1,
  delivery delivery_state NOT NULL DEFAULT 'pending',
  attempts INTEGER NOT NULL DEFAULT 0,
  attempts_before INTEGER NOT NULL DEFAULT 0,
  next_attempt_date TIMESTAMPTZ(3) NOT NULL,
  give_up_date TIMESTAMPTZ(3) NOT NULL,
  failed_date TIMESTAMPTZ(3),
  lease_until TIMESTAMPTZ(3),
  created_date TIMESTAMPTZ(3) NOT NULL,
  modified_date TIMESTAMPTZ(3) NOT NULL,
  -- Exactly the events being sent have a lease.
  CONSTRAINT published_event_lease CHECK ((delivery = 'sending') = (lease_until IS NOT NULL)),
  CONSTRAINT published_event_failed CHECK (delivery <> 'failed' OR failed_date IS NOT NULL)
);
CREATE UNIQUE INDEX published_event_event_id_key ON published_event (event_id);
CREATE INDEX published_event_client_id_id_idx ON published_event (client_id, id);
CREATE INDEX published_event_created_date_idx ON published_event (created_date);
CREATE INDEX published_event_practice_id_id_idx ON published_event (practice_id, id);
-- Finds events to deliver.
CREATE INDEX published_event_due ON published_event (subscription_id, next_attempt_date, id) WHERE delivery = 'pending';
-- Finds the first open event of a record, which the later ones wait for.
CREATE INDEX published_event_open_by_record ON published_event (subscription_id, resource_id, id)
  WHERE delivery IN ('pending', 'sending');
-- Finds the events being sent, and those whose sender stopped before it finished. The condition names the lease, because a query for
-- 'sending' could also use the index of all open events, which can be much larger.
CREATE INDEX published_event_leased ON published_event (lease_until) WHERE lease_until IS NOT NULL;
-- Lists pending and canceled events, which are few.
CREATE INDEX published_event_unprocessed ON published_event (practice_id, id) WHERE processed_date IS NULL;
-- Lists the failed events of a subscription.
CREATE INDEX published_event_failed ON published_event (subscription_id, id) WHERE delivery = 'failed';
-- Counts the events of a practice for which the client reported an error.
CREATE INDEX published_event_rejected ON published_event (practice_id)
  WHERE delivery <> 'failed' AND reported_date IS NOT NULL AND error_content <> '';
-- Counts and lists the failed events of a practice, with those whose client reported an error.
CREATE INDEX published_event_failed_by_practice ON published_event (practice_id, id)
  WHERE delivery = 'failed' OR (reported_date IS NOT NULL AND error_content <> '');

-- An attempt to deliver an event. One without a duration is in progress, or its sender was killed.
CREATE TABLE webhook_attempt (
  published_event_id BIGINT NOT NULL REFERENCES published_event (id) ON DELETE CASCADE ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  started_date TIMESTAMPTZ(3) NOT NULL,
  duration_ms INTEGER,
  status_code INTEGER,
  error TEXT,
  PRIMARY KEY (published_event_id, number)
);

-- ==================== Declared resources ====================

-- A record of a resource without its own table. lib/records declares what data contains.
CREATE TABLE resource_record (
  id BIGSERIAL PRIMARY KEY,
  resource TEXT NOT NULL,
  practice_id BIGINT REFERENCES practice (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  patient_id BIGINT REFERENCES patient (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  data JSONB NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  created_date TIMESTAMPTZ(3) NOT NULL,
  modified_date TIMESTAMPTZ(3) NOT NULL,
  deleted_date TIMESTAMPTZ(3)
);
CREATE INDEX resource_record_practice_id_resource_id_idx ON resource_record (practice_id, resource, id);
CREATE INDEX resource_record_patient_id_resource_id_idx ON resource_record (patient_id, resource, id);
-- Lists deleted records.
CREATE INDEX resource_record_deleted ON resource_record (practice_id, resource, deleted_date) WHERE deleted_date IS NOT NULL;

-- The values that lists are filtered and sorted by, compared byte by byte in any collation. practice_id 0 means every practice.
CREATE TABLE resource_key (
  resource TEXT NOT NULL,
  field TEXT NOT NULL,
  practice_id BIGINT NOT NULL,
  value TEXT COLLATE "C" NOT NULL,
  record_id BIGINT NOT NULL,
  PRIMARY KEY (resource, field, practice_id, value, record_id)
);
CREATE INDEX resource_key_record_id_field_idx ON resource_key (record_id, field);

-- A file of a record, for example a scan or a photo.
CREATE TABLE resource_file (
  id BIGSERIAL PRIMARY KEY,
  record_id BIGINT NOT NULL REFERENCES resource_record (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  filename TEXT NOT NULL,
  content_type TEXT NOT NULL,
  content BYTEA NOT NULL,
  created_date TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX resource_file_record_id_idx ON resource_file (record_id);

-- ==================== Migration ====================

CREATE TYPE run_source AS ENUM ('file', 'practice');
CREATE TYPE run_state AS ENUM (
  'uploading', 'reading', 'checking', 'checked', 'converting', 'converted', 'verifying', 'verified', 'rolling_back',
  'rolled_back', 'failed', 'cancelled'
);

-- A run of the migration assistant, from the uploaded export to the verified policies.
CREATE TABLE migration_run (
  id BIGSERIAL PRIMARY KEY,
  practice_id BIGINT NOT NULL REFERENCES practice (id) ON DELETE RESTRICT ON UPDATE CASCADE,
  source run_source NOT NULL DEFAULT 'file',
  source_name TEXT NOT NULL,
  source_size BIGINT NOT NULL,
  source_fingerprint TEXT,
  as_of DATE NOT NULL,
  columns JSONB,
  companies JSONB NOT NULL DEFAULT '[]',
  follows BIGINT,
  state run_state NOT NULL,
  stopped_in run_state,
  error TEXT,
  attempts INTEGER NOT NULL DEFAULT 0,
  done BIGINT NOT NULL DEFAULT 0,
  total BIGINT NOT NULL DEFAULT 0,
  since_date TIMESTAMPTZ(3) NOT NULL,
  since_done BIGINT NOT NULL DEFAULT 0,
  origin JSONB NOT NULL,
  verification JSONB,
  created_companies BIGINT[],
  company_changes JSONB NOT NULL DEFAULT '[]',
  roll_back JSONB,
  purged_date TIMESTAMPTZ(3),
  purging BOOLEAN NOT NULL DEFAULT FALSE,
  counts JSONB,
  created_date TIMESTAMPTZ(3) NOT NULL,
  changed_date TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX migration_run_practice_id_id_idx ON migration_run (practice_id, id);
-- A practice has one run at work at a time.
CREATE UNIQUE INDEX migration_run_one_at_work ON migration_run (practice_id)
  WHERE state IN ('reading', 'checking', 'converting', 'verifying', 'rolling_back');

-- The dates that decide when originals are due are written once.
CREATE TRIGGER migration_run_dates_fixed BEFORE UPDATE OF id, created_date, purged_date ON migration_run FOR EACH ROW
  WHEN (NEW.id <> OLD.id OR NEW.created_date <> OLD.created_date
    OR (OLD.purged_date IS NOT NULL AND NEW.purged_date IS DISTINCT FROM OLD.purged_date))
  EXECUTE FUNCTION reject_history_change();

-- Keeps the originals of a run for at least 7 days, the least that MIGRATION_RETENTION_DAYS allows, and until the run is marked
-- as purging.
CREATE FUNCTION guard_migration_originals() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM migration_run
    WHERE id = OLD.run_id AND purging AND purged_date IS NOT NULL AND created_date < now() - interval '7 days') THEN
    RAISE EXCEPTION 'the originals of run % are not due to be deleted', OLD.run_id USING ERRCODE = 'insufficient_privilege';
  END IF;
  IF TG_OP = 'DELETE' THEN
    RETURN OLD;
  END IF;
  RETURN NEW;
END $$;

-- A part of an uploaded file, until the file is read.
CREATE TABLE migration_part (
  run_id BIGINT NOT NULL REFERENCES migration_run (id) ON DELETE CASCADE ON UPDATE CASCADE,
  part INTEGER NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (run_id, part)
);

-- Uploads are compressed already, or not worth compressing.
ALTER TABLE migration_part ALTER COLUMN bytes SET STORAGE EXTERNAL;

CREATE TYPE verdict AS ENUM ('create', 'update', 'unchanged', 'archive', 'refused');
CREATE TYPE record_state AS ENUM (
  'staged', 'checked', 'converted', 'left_out', 'stale', 'verified', 'different', 'rolled_back', 'kept'
);

-- A patient of an export: the original, the verdict of the check and the result of the conversion.
CREATE TABLE migration_record (
  run_id BIGINT NOT NULL REFERENCES migration_run (id) ON DELETE CASCADE ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  line INTEGER NOT NULL,
  raw JSONB,
  exact TEXT,
  fingerprint TEXT,
  external_id TEXT,
  person TEXT,
  insurance_ids TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  past_ids TEXT[] NOT NULL DEFAULT ARRAY[]::TEXT[],
  verdict verdict,
  plan JSONB,
  refusal TEXT,
  faults JSONB,
  creates INTEGER NOT NULL DEFAULT 0,
  updates INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0,
  archives INTEGER NOT NULL DEFAULT 0,
  refused INTEGER NOT NULL DEFAULT 0,
  blockers INTEGER NOT NULL DEFAULT 0,
  state record_state NOT NULL DEFAULT 'staged',
  patient_id BIGINT,
  outcome JSONB,
  differences JSONB,
  PRIMARY KEY (run_id, number)
);
-- Rows grow past 2 kB as stages add to them. Compressing the original at that point would cost more than it saves.
ALTER TABLE migration_record SET (toast_tuple_target = 4080);
-- Each stage updates these statistics (refresh_migration_statistics). For look-ups in an index, a tenth of the usual sample is enough.
ALTER TABLE migration_record ALTER run_id SET STATISTICS 10, ALTER number SET STATISTICS 10, ALTER external_id SET STATISTICS 10,
  ALTER verdict SET STATISTICS 10, ALTER state SET STATISTICS 10, ALTER blockers SET STATISTICS 10;
CREATE INDEX migration_record_run_id_external_id_idx ON migration_record (run_id, external_id);
CREATE INDEX migration_record_refused ON migration_record (run_id, number) WHERE verdict = 'refused';
CREATE INDEX migration_record_run_id_state_number_idx ON migration_record (run_id, state, number);

-- An original belongs to its run and never changes. It may be deleted once it is due.
CREATE TRIGGER migration_record_raw_fixed BEFORE UPDATE OF run_id, number, raw, exact ON migration_record FOR EACH ROW
  WHEN (NEW.run_id <> OLD.run_id OR NEW.number <> OLD.number
    OR (NEW.raw IS NOT NULL AND NEW.raw IS DISTINCT FROM OLD.raw)
    OR (NEW.exact IS NOT NULL AND NEW.exact IS DISTINCT FROM OLD.exact))
  EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER migration_record_raw_delete BEFORE UPDATE OF raw, exact ON migration_record FOR EACH ROW
  WHEN ((OLD.raw IS NOT NULL AND NEW.raw IS NULL)
    OR (OLD.exact IS NOT NULL AND NEW.exact IS NULL))
  EXECUTE FUNCTION guard_migration_originals();

-- The patient of a record and what the conversion replaced are written once. They are empty before a conversion, so it pays nothing
-- for these conditions.
CREATE TRIGGER migration_record_outcome_fixed BEFORE UPDATE OF patient_id, outcome ON migration_record FOR EACH ROW
  WHEN ((OLD.patient_id IS NOT NULL AND NEW.patient_id IS DISTINCT FROM OLD.patient_id)
    OR (OLD.outcome IS NOT NULL AND NEW.outcome IS NOT NULL AND NEW.outcome IS DISTINCT FROM OLD.outcome))
  EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER migration_record_outcome_delete BEFORE UPDATE OF outcome ON migration_record FOR EACH ROW
  WHEN (OLD.outcome IS NOT NULL AND NEW.outcome IS NULL)
  EXECUTE FUNCTION guard_migration_originals();

-- A card image of an export, until its originals are deleted.
CREATE TABLE migration_image (
  run_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  rank SMALLINT NOT NULL,
  side SMALLINT NOT NULL,
  sha256 TEXT NOT NULL,
  bytes BYTEA NOT NULL,
  PRIMARY KEY (run_id, number, rank, side),
  FOREIGN KEY (run_id, number) REFERENCES migration_record (run_id, number) ON DELETE CASCADE ON UPDATE CASCADE
);

-- Images are compressed already.
ALTER TABLE migration_image ALTER COLUMN bytes SET STORAGE EXTERNAL;

-- Images are originals too.
CREATE TRIGGER migration_image_delete BEFORE DELETE ON migration_image FOR EACH ROW EXECUTE FUNCTION guard_migration_originals();

-- An id that more than one insurance of an export has.
CREATE TABLE migration_reused_id (
  run_id BIGINT NOT NULL REFERENCES migration_run (id) ON DELETE CASCADE ON UPDATE CASCADE,
  insurance TEXT NOT NULL,
  is_current BOOLEAN NOT NULL,
  first_number INTEGER NOT NULL,
  PRIMARY KEY (run_id, insurance)
);

-- A record whose patient id or person an earlier record of the export has.
CREATE TABLE migration_repeat (
  run_id BIGINT NOT NULL REFERENCES migration_run (id) ON DELETE CASCADE ON UPDATE CASCADE,
  number INTEGER NOT NULL,
  is_known_person BOOLEAN NOT NULL,
  earlier_line INTEGER,
  PRIMARY KEY (run_id, number)
);

CREATE TYPE severity AS ENUM ('error', 'warning');
CREATE TYPE finding_decision AS ENUM ('open', 'accepted', 'skipped');

-- An error or a warning in a record, with the decision of the staff.
CREATE TABLE migration_finding (
  id BIGSERIAL PRIMARY KEY,
  run_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  patient TEXT,
  insurance TEXT,
  list TEXT,
  position INTEGER,
  code TEXT NOT NULL,
  severity severity NOT NULL,
  field TEXT,
  found JSONB,
  message TEXT NOT NULL,
  fix JSONB,
  decision finding_decision NOT NULL DEFAULT 'open',
  reason TEXT,
  decided_by JSONB,
  decided_date TIMESTAMPTZ(3),
  owner_id BIGINT,
  due_date DATE,
  note TEXT,
  FOREIGN KEY (run_id, number) REFERENCES migration_record (run_id, number) ON DELETE CASCADE ON UPDATE CASCADE
);
CREATE INDEX migration_finding_run_id_code_decision_idx ON migration_finding (run_id, code, decision);
CREATE INDEX migration_finding_run_id_number_idx ON migration_finding (run_id, number);
CREATE INDEX migration_finding_run_id_decision_severity_idx ON migration_finding (run_id, decision, severity);

-- What a rollback removed, in full. Append-only until the originals of the run are deleted. It is json, because nothing queries its parts.
CREATE TABLE migration_removal (
  id BIGSERIAL PRIMARY KEY,
  run_id BIGINT NOT NULL,
  number INTEGER NOT NULL,
  patient_id BIGINT NOT NULL,
  practice_id BIGINT NOT NULL,
  removed JSON NOT NULL,
  actor JSONB NOT NULL,
  source TEXT NOT NULL,
  reason TEXT,
  request_id TEXT,
  removed_date TIMESTAMPTZ(3) NOT NULL,
  recorded_date TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP
);
-- Compressing the copies took a fifth of a rollback.
ALTER TABLE migration_removal ALTER COLUMN removed SET STORAGE EXTERNAL;
CREATE INDEX migration_removal_run_id_number_idx ON migration_removal (run_id, number);
CREATE INDEX migration_removal_patient_id_idx ON migration_removal (patient_id);

-- Keeps removals for at least 7 days and until their run is marked as purging.
CREATE FUNCTION guard_migration_removal_delete() RETURNS trigger LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF OLD.recorded_date < now() - interval '7 days'
    AND EXISTS (SELECT FROM migration_run WHERE id = OLD.run_id AND purging AND purged_date IS NOT NULL) THEN
    RETURN OLD;
  END IF;
  RAISE EXCEPTION 'migration_removal is append-only' USING ERRCODE = 'insufficient_privilege';
END $$;

-- Keeps removals append-only for every role, except for the deletes that the guard allows.
CREATE TRIGGER migration_removal_no_update BEFORE UPDATE ON migration_removal
  FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER migration_removal_no_delete BEFORE DELETE ON migration_removal
  FOR EACH ROW EXECUTE FUNCTION guard_migration_removal_delete();
CREATE TRIGGER migration_removal_no_truncate BEFORE TRUNCATE ON migration_removal
  FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- Deletes up to at_most removals of a run whose originals are deleted, and returns how many.
CREATE FUNCTION purge_migration_removals(purged_run bigint, at_most integer) RETURNS integer
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  removed INTEGER;
BEGIN
  DELETE FROM migration_removal WHERE id IN (SELECT id FROM migration_removal WHERE run_id = purged_run LIMIT at_most);
  GET DIAGNOSTICS removed = ROW_COUNT;
  RETURN removed;
END $$;
REVOKE ALL ON FUNCTION purge_migration_removals FROM PUBLIC;

-- How ready a practice was on a day: the records of its run by what they still need.
CREATE TABLE migration_day (
  practice_id BIGINT NOT NULL,
  day DATE NOT NULL,
  run_id BIGINT NOT NULL,
  verified INTEGER NOT NULL,
  convertible INTEGER NOT NULL,
  person INTEGER NOT NULL,
  refused INTEGER NOT NULL,
  PRIMARY KEY (practice_id, day)
);

CREATE TYPE sign_off_decision AS ENUM ('go', 'no_go');

-- A signed decision to cut over or not, with the figures it was based on.
CREATE TABLE migration_sign_off (
  id BIGSERIAL PRIMARY KEY,
  practice_id BIGINT NOT NULL,
  run_id BIGINT,
  decision sign_off_decision NOT NULL,
  reason TEXT NOT NULL,
  figures JSONB NOT NULL,
  actor JSONB NOT NULL,
  signed_date TIMESTAMPTZ(3) NOT NULL
);
CREATE INDEX migration_sign_off_practice_id_id_idx ON migration_sign_off (practice_id, id);

-- Keeps sign-offs append-only for every role.
CREATE TRIGGER migration_sign_off_append_only BEFORE UPDATE OR DELETE ON migration_sign_off
  FOR EACH ROW EXECUTE FUNCTION reject_history_change();
CREATE TRIGGER migration_sign_off_no_truncate BEFORE TRUNCATE ON migration_sign_off
  FOR EACH STATEMENT EXECUTE FUNCTION reject_history_change();

-- Fails unless the run is being rolled back and still has its originals, which say what to roll back.
CREATE FUNCTION require_rolling_back(p_run bigint) RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
BEGIN
  IF NOT EXISTS (SELECT FROM migration_run WHERE id = p_run AND state = 'rolling_back' AND purged_date IS NULL) THEN
    RAISE EXCEPTION 'run % is not being rolled back', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Fails unless the run wrote every version of these patients and policies. The server can add versions but not change them, so a
-- record that claims a patient for a run is not enough.
CREATE FUNCTION require_written_by_run(p_run bigint, p_patients bigint[], p_policies bigint[])
RETURNS void LANGUAGE plpgsql SET search_path = public, pg_temp AS $$
DECLARE
  run_name text := 'Migration run ' || p_run;
BEGIN
  IF EXISTS (
    SELECT FROM (
      SELECT v.source, v.reason FROM unnest(p_patients) AS p(id) LEFT JOIN patient_version v ON v.patient_id = p.id
      UNION ALL
      SELECT v.source, v.reason FROM unnest(p_policies) AS p(id) LEFT JOIN policy_version v ON v.policy_id = p.id
    ) AS versions
    WHERE (source = 'migration' AND (reason = run_name OR starts_with(reason, run_name || ': '))) IS NOT TRUE
  ) THEN
    RAISE EXCEPTION 'run % did not write all versions of these patients and policies', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
END $$;

-- Deletes the patients that these records of a run created, with everything that belongs to them, after a copy in migration_removal.
-- The copy is json, because jsonb copies nested values at each level.
-- Rows are locked so that no version is added after the check. Returns the keys of their images.
CREATE FUNCTION purge_created_patients(p_run bigint, p_numbers int[], p_actor jsonb, p_source text, p_reason text,
  p_request_id text, p_time timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  patients bigint[];
  policies bigint[];
BEGIN
  PERFORM require_rolling_back(p_run);
  SELECT array_agg(id) INTO patients FROM (
    SELECT p.id
    FROM migration_record r JOIN migration_run m ON m.id = r.run_id
      JOIN patient p ON p.id = r.patient_id AND p.practice_id = m.practice_id
    WHERE r.run_id = p_run AND r.number = ANY (p_numbers) AND r.outcome -> 'created' = 'true'
      AND r.state IN ('converted', 'verified', 'different')
    ORDER BY p.id FOR UPDATE OF p
  ) AS locked;
  IF cardinality(patients) IS DISTINCT FROM cardinality(p_numbers) THEN
    RAISE EXCEPTION 'run % did not create all of these patients', p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
  SELECT coalesce(array_agg(id), '{}') INTO policies
  FROM (SELECT id FROM policy WHERE patient_id = ANY (patients) ORDER BY id FOR UPDATE) AS locked;
  PERFORM require_written_by_run(p_run, patients, policies);
  RETURN QUERY
    SELECT image_key FROM policy_card_image WHERE policy_id = ANY (policies)
    UNION SELECT image_key FROM legacy_card WHERE patient_id = ANY (patients);
  INSERT INTO migration_removal (run_id, number, patient_id, practice_id, removed, actor, source, reason, request_id, removed_date)
  SELECT r.run_id, r.number, owner.id, owner.practice_id, json_build_object('patient', owner,
      'insurances', (SELECT coalesce(json_agg(i ORDER BY i.id), '[]') FROM patient_insurance i WHERE i.patient_id = owner.id),
      'cards', (SELECT coalesce(json_agg(c ORDER BY c.id), '[]') FROM legacy_card c WHERE c.patient_id = owner.id),
      'versions', (SELECT coalesce(json_agg(v ORDER BY v.version), '[]') FROM patient_version v WHERE v.patient_id = owner.id),
      'policies', (
        SELECT coalesce(json_agg(o ORDER BY o.id), '[]') FROM (
          SELECT p.*,
            (SELECT coalesce(json_agg(v ORDER BY v.version), '[]') FROM policy_version v WHERE v.policy_id = p.id) AS versions,
            (SELECT coalesce(json_agg(i ORDER BY i.id), '[]') FROM policy_card_image i WHERE i.policy_id = p.id) AS images
          FROM policy p WHERE p.patient_id = owner.id) AS o)),
    p_actor, p_source, p_reason, p_request_id, p_time
  FROM migration_record r JOIN patient owner ON owner.id = r.patient_id
  WHERE r.run_id = p_run AND r.number = ANY (p_numbers);
  PERFORM set_config('crosswalk.removing_policy', array_to_string(policies, ','), true);
  PERFORM set_config('crosswalk.removing_patient', array_to_string(patients, ','), true);
  DELETE FROM policy_version WHERE policy_id = ANY (policies);
  DELETE FROM policy WHERE id = ANY (policies);
  DELETE FROM legacy_card WHERE patient_id = ANY (patients);
  DELETE FROM patient_insurance WHERE patient_id = ANY (patients);
  DELETE FROM patient_version WHERE patient_id = ANY (patients);
  DELETE FROM patient WHERE id = ANY (patients);
END $$;
REVOKE ALL ON FUNCTION purge_created_patients FROM PUBLIC;

-- Deletes the policies that a record of a run added to an existing patient, likewise.
CREATE FUNCTION purge_added_policies(p_run bigint, p_number int, p_policies bigint[], p_actor jsonb, p_source text,
  p_reason text, p_request_id text, p_time timestamptz)
RETURNS SETOF uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  own migration_record%ROWTYPE;
  practice bigint;
BEGIN
  PERFORM require_rolling_back(p_run);
  PERFORM id FROM policy WHERE id = ANY (p_policies) ORDER BY id FOR UPDATE;
  PERFORM require_written_by_run(p_run, '{}', p_policies);
  SELECT * INTO own FROM migration_record WHERE run_id = p_run AND number = p_number;
  SELECT practice_id INTO practice FROM migration_run WHERE id = p_run;
  IF (SELECT count(*) FROM policy p WHERE p.id = ANY (p_policies) AND p.patient_id = own.patient_id AND p.practice_id = practice
      AND own.outcome -> 'added' @> to_jsonb(p.patient_insurance)) IS DISTINCT FROM cardinality(p_policies) THEN
    RAISE EXCEPTION 'record % of run % did not add all of these policies', p_number, p_run USING ERRCODE = 'insufficient_privilege';
  END IF;
  RETURN QUERY SELECT DISTINCT image_key FROM policy_card_image WHERE policy_id = ANY (p_policies);
  INSERT INTO migration_removal (run_id, number, patient_id, practice_id, removed, actor, source, reason, request_id, removed_date)
  SELECT p_run, p_number, own.patient_id, practice, json_build_object('policies',
      (
        SELECT coalesce(json_agg(o ORDER BY o.id), '[]') FROM (
          SELECT p.*,
            (SELECT coalesce(json_agg(v ORDER BY v.version), '[]') FROM policy_version v WHERE v.policy_id = p.id) AS versions,
            (SELECT coalesce(json_agg(i ORDER BY i.id), '[]') FROM policy_card_image i WHERE i.policy_id = p.id) AS images
          FROM policy p WHERE p.id = ANY (p_policies)) AS o)),
    p_actor, p_source, p_reason, p_request_id, p_time;
  PERFORM set_config('crosswalk.removing_policy', array_to_string(p_policies, ','), true);
  DELETE FROM policy_version WHERE policy_id = ANY (p_policies);
  DELETE FROM policy WHERE id = ANY (p_policies);
END $$;
REVOKE ALL ON FUNCTION purge_added_policies FROM PUBLIC;

-- ==================== Maintenance ====================

-- Updates the planner's statistics after a bulk write, which only the owner of the tables may do.
CREATE FUNCTION refresh_statistics() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
  ANALYZE patient, patient_insurance, patient_version, policy, policy_version, published_event, webhook_attempt;
END $$;
REVOKE ALL ON FUNCTION refresh_statistics FROM PUBLIC;

-- Does the same for the tables of migration runs and the tables that they read, but waits for nobody. Leaves out small tables: a plan
-- that was made for an empty table scans it, and stays in use while a conversion fills the table.
CREATE FUNCTION refresh_migration_statistics() RETURNS void LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
  analyzed record;
BEGIN
  FOR analyzed IN SELECT * FROM (VALUES
    ('migration_record', 'run_id, number, external_id, verdict, state, blockers'), ('migration_finding', 'run_id, number'),
    ('migration_reused_id', 'run_id, insurance'), ('migration_repeat', 'run_id, number'), ('migration_image', 'run_id, number'), ('patient', 'id, practice_id, external_id'),
    ('patient_insurance', 'id, practice_id, patient_id, external_id, policy_id'), ('patient_version', 'patient_id, version'),
    ('legacy_card', 'patient_id'), ('policy', 'id, patient_id, status, rank, patient_insurance'),
    ('policy_version', 'policy_id, patient_id, version'), ('policy_card_image', 'policy_id, to_version')) AS t(name, columns)
  LOOP
    IF pg_relation_size(analyzed.name::regclass) > 1024 * 1024 THEN
      EXECUTE format('ANALYZE (SKIP_LOCKED) %I (%s)', analyzed.name, analyzed.columns);
    END IF;
  END LOOP;
END $$;
REVOKE ALL ON FUNCTION refresh_migration_statistics FROM PUBLIC;
