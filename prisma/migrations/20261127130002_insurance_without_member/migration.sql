-- Current insurances without a member ID, for the list of patients and its counts on Home.
CREATE INDEX CONCURRENTLY IF NOT EXISTS patient_insurance_no_member ON patient_insurance (practice_id) WHERE deleted_date IS NULL AND coalesce(trim(member_id), '') = '';
