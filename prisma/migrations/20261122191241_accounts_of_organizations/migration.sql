-- An account belongs to one organization (docs/adr/0112). AlterTable
ALTER TABLE "staff_user" ADD COLUMN     "organisation_id" BIGINT;

-- The organization in which an account has most practices keeps it. One without any practice belongs to the organization that
-- last changed it.
UPDATE staff_user u SET organisation_id = coalesce(
  (SELECT p.organisation_id FROM staff_user_practice m JOIN practice p ON p.id = m.practice_id
   WHERE m.user_id = u.id GROUP BY p.organisation_id ORDER BY count(*) DESC, p.organisation_id LIMIT 1),
  (SELECT p.organisation_id FROM record_version v JOIN practice p ON p.id = v.practice_id
   WHERE v.record_type = 'staff_user' AND v.record_id = u.id ORDER BY v.version DESC LIMIT 1),
  (SELECT min(id) FROM organisation));
ALTER TABLE "staff_user" ALTER COLUMN "organisation_id" SET NOT NULL;

-- DropIndex
DROP INDEX "staff_user_email_key";

-- CreateIndex
CREATE INDEX "staff_user_email_idx" ON "staff_user"("email");

-- CreateIndex
CREATE UNIQUE INDEX "staff_user_organisation_id_email_key" ON "staff_user"("organisation_id", "email");

-- AddForeignKey
ALTER TABLE "staff_user" ADD CONSTRAINT "staff_user_organisation_id_fkey" FOREIGN KEY ("organisation_id") REFERENCES "organisation"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- What the Prisma schema cannot say.

-- Every other organization gets an account of its own for the same person, with the same password, and its memberships.
WITH strays AS (
  SELECT DISTINCT m.user_id, p.organisation_id FROM staff_user_practice m
  JOIN practice p ON p.id = m.practice_id JOIN staff_user u ON u.id = m.user_id
  WHERE p.organisation_id <> u.organisation_id),
copies AS (
  INSERT INTO staff_user (organisation_id, email, name, password_hash, role, created_date, disabled_date)
  SELECT s.organisation_id, u.email, u.name, u.password_hash, u.role, u.created_date, u.disabled_date
  FROM strays s JOIN staff_user u ON u.id = s.user_id
  RETURNING id, email, organisation_id)
UPDATE staff_user_practice m SET user_id = c.id
FROM copies c, staff_user u, practice p
WHERE u.id = m.user_id AND p.id = m.practice_id AND c.email = u.email AND c.organisation_id = p.organisation_id
  AND u.organisation_id <> p.organisation_id;

-- No account reaches a practice of another organization, whoever writes the row.
CREATE FUNCTION require_own_organisation() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  IF EXISTS (SELECT FROM staff_user u, practice p
    WHERE u.id = NEW.user_id AND p.id = NEW.practice_id AND u.organisation_id <> p.organisation_id) THEN
    RAISE EXCEPTION 'account % belongs to another organization than practice %', NEW.user_id, NEW.practice_id
      USING ERRCODE = 'check_violation', CONSTRAINT = 'staff_user_practice_organisation';
  END IF;
  RETURN NEW;
END $$;
CREATE TRIGGER staff_user_practice_organisation BEFORE INSERT OR UPDATE ON staff_user_practice
  FOR EACH ROW EXECUTE FUNCTION require_own_organisation();
