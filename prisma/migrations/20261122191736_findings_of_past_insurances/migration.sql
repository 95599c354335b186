-- AlterTable
ALTER TABLE "migration_finding" ADD COLUMN     "list" TEXT;

-- AlterTable
ALTER TABLE "migration_record" ADD COLUMN     "exact" TEXT;

-- Until now only findings of current insurances had a place.
UPDATE "migration_finding" SET "list" = 'insurances' WHERE "position" IS NOT NULL;
