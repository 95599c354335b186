-- Member IDs without punctuation, for the search on staff pages.
CREATE INDEX CONCURRENTLY IF NOT EXISTS patient_insurance_member_key ON patient_insurance (practice_id, (regexp_replace(lower(member_id), '[^a-z0-9]', '', 'g') COLLATE "C")) WHERE deleted_date IS NULL;
