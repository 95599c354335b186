-- AlterTable
ALTER TABLE "migration_run" ADD COLUMN     "source_fingerprint" TEXT;
