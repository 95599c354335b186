-- CreateTable
CREATE TABLE "staff_user" (
    "id" BIGSERIAL NOT NULL,
    "email" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "password_hash" TEXT NOT NULL,
    "role" TEXT NOT NULL,
    "created_date" TIMESTAMPTZ(3) NOT NULL DEFAULT CURRENT_TIMESTAMP,
    "disabled_date" TIMESTAMPTZ(3),

    CONSTRAINT "staff_user_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "staff_user_practice" (
    "user_id" BIGINT NOT NULL,
    "practice_id" BIGINT NOT NULL,

    CONSTRAINT "staff_user_practice_pkey" PRIMARY KEY ("user_id","practice_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "staff_user_email_key" ON "staff_user"("email");

-- AddForeignKey
ALTER TABLE "staff_user_practice" ADD CONSTRAINT "staff_user_practice_user_id_fkey" FOREIGN KEY ("user_id") REFERENCES "staff_user"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "staff_user_practice" ADD CONSTRAINT "staff_user_practice_practice_id_fkey" FOREIGN KEY ("practice_id") REFERENCES "practice"("id") ON DELETE CASCADE ON UPDATE CASCADE;

-- What the Prisma schema cannot say.
ALTER TABLE "staff_user"
  ADD CONSTRAINT "staff_user_role" CHECK ("role" IN ('admin', 'staff', 'viewer')),
  ADD CONSTRAINT "staff_user_email_lower" CHECK ("email" = lower("email"));
