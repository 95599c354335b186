-- CreateTable
CREATE TABLE "resource_record" (
    "id" BIGSERIAL NOT NULL,
    "resource" TEXT NOT NULL,
    "practice_id" BIGINT,
    "patient_id" BIGINT,
    "data" JSONB NOT NULL,
    "version" INTEGER NOT NULL DEFAULT 1,
    "created_date" TIMESTAMPTZ(3) NOT NULL,
    "modified_date" TIMESTAMPTZ(3) NOT NULL,
    "deleted_date" TIMESTAMPTZ(3),

    CONSTRAINT "resource_record_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "resource_key" (
    "resource" TEXT NOT NULL,
    "field" TEXT NOT NULL,
    "practice_id" BIGINT NOT NULL,
    "value" TEXT NOT NULL,
    "record_id" BIGINT NOT NULL,

    CONSTRAINT "resource_key_pkey" PRIMARY KEY ("resource","field","practice_id","value","record_id")
);

-- CreateTable
CREATE TABLE "resource_file" (
    "id" BIGSERIAL NOT NULL,
    "record_id" BIGINT NOT NULL,
    "filename" TEXT NOT NULL,
    "content_type" TEXT NOT NULL,
    "content" BYTEA NOT NULL,
    "created_date" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "resource_file_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "resource_file_record_id_idx" ON "resource_file"("record_id");

-- CreateIndex
CREATE INDEX "resource_record_practice_id_resource_id_idx" ON "resource_record"("practice_id", "resource", "id");

-- CreateIndex
CREATE INDEX "resource_record_patient_id_resource_id_idx" ON "resource_record"("patient_id", "resource", "id");

-- CreateIndex
CREATE INDEX "resource_key_record_id_field_idx" ON "resource_key"("record_id", "field");

-- AlterTable
ALTER TABLE "staff_user_practice" ADD COLUMN "id" BIGSERIAL NOT NULL;

-- CreateIndex
CREATE UNIQUE INDEX "staff_user_practice_id_key" ON "staff_user_practice"("id");

-- AddForeignKey
ALTER TABLE "resource_record" ADD CONSTRAINT "resource_record_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_record" ADD CONSTRAINT "resource_record_patient_id_fkey" FOREIGN KEY ("patient_id") REFERENCES "patient"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "resource_file" ADD CONSTRAINT "resource_file_record_id_fkey" FOREIGN KEY ("record_id") REFERENCES "resource_record"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Lists of what was deleted, and when.
CREATE INDEX "resource_record_deleted" ON "resource_record" ("practice_id", "resource", "deleted_date") WHERE "deleted_date" IS NOT NULL;

-- Keys compare byte by byte, whatever the database's language: so do the values they stand for.
ALTER TABLE "resource_key" ALTER COLUMN "value" SET DATA TYPE TEXT COLLATE "C";
