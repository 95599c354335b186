-- Current primary insurances that have an end, for the list of patients and its counts on Home.
CREATE INDEX CONCURRENTLY IF NOT EXISTS patient_insurance_ends ON patient_insurance (practice_id, end_date) WHERE deleted_date IS NULL AND rank = 1 AND end_date IS NOT NULL;
