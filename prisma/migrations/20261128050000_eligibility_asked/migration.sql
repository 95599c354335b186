-- What a payer was asked about. A check counts only while the policy has the same payer and member ID. See ADR 0215.
ALTER TABLE eligibility_check ADD COLUMN asked JSONB;
