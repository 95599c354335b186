-- Payers, for the search on staff pages.
CREATE INDEX CONCURRENTLY IF NOT EXISTS patient_insurance_carrier ON patient_insurance (practice_id, (lower(carrier) COLLATE "C")) WHERE deleted_date IS NULL;
