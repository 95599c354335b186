-- What an import read of a patient, so that a later run knows an unchanged line from a changed one.
ALTER TABLE "patient" ADD COLUMN "source_fingerprint" TEXT;
