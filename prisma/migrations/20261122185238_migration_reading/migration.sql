-- AlterTable
ALTER TABLE "migration_record" ADD COLUMN     "faults" JSONB;

-- AlterTable
ALTER TABLE "migration_run" ADD COLUMN     "attempts" INTEGER NOT NULL DEFAULT 0;
