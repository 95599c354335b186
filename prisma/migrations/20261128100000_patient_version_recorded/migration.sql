-- CURRENT_TIMESTAMP is the start of the transaction. A write that waited for a lock was recorded before it occurred. See ADR 0008.
ALTER TABLE patient_version ALTER COLUMN recorded_date SET DEFAULT statement_timestamp();
