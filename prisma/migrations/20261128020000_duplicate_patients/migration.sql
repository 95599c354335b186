-- Whether POST /patients/ rejects a patient whom the practice already has. See ADR 0220.
ALTER TABLE practice ADD COLUMN rejects_duplicate_patients BOOLEAN NOT NULL DEFAULT true;
