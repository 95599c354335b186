-- AlterTable
ALTER TABLE "idempotency_key" ADD COLUMN     "unnamed" BIGINT[];
