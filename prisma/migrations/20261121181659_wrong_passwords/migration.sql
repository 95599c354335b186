-- CreateTable
CREATE TABLE "wrong_password" (
    "key" VARCHAR(255) NOT NULL,
    "points" INTEGER NOT NULL DEFAULT 0,
    "expire" BIGINT,

    CONSTRAINT "wrong_password_pkey" PRIMARY KEY ("key")
);
