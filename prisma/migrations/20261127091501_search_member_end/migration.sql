-- The same from the end, for searches by the last digits.
CREATE INDEX CONCURRENTLY IF NOT EXISTS patient_insurance_member_end ON patient_insurance (practice_id, (reverse(regexp_replace(lower(member_id), '[^a-z0-9]', '', 'g') COLLATE "C") COLLATE "C")) WHERE deleted_date IS NULL;
