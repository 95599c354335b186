-- The version before reads patient_insurance_member_key instead.
DROP INDEX CONCURRENTLY IF EXISTS patient_insurance_member;
