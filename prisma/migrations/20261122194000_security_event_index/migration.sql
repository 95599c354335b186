-- Security events are few among the reads and changes of a practice: the list of them alone must not walk all entries.
CREATE INDEX audit_entry_security ON audit_entry (practice_id, occurred_date, seq) WHERE kind = 'security';
