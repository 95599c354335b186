-- Lists of records leave out those of deleted patients, of whom there are few.
CREATE INDEX "patient_deleted" ON "patient" ("id") WHERE "deleted_date" IS NOT NULL;
