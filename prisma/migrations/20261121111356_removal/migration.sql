-- AlterTable
ALTER TABLE "idempotency_key" ADD COLUMN     "path" TEXT NOT NULL DEFAULT '';

-- CreateTable
CREATE TABLE "deleted_image" (
    "image_key" UUID NOT NULL,
    "deleted_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "deleted_image_pkey" PRIMARY KEY ("image_key")
);
