-- AlterTable
ALTER TABLE "staff_user" ADD COLUMN     "can_export" BOOLEAN NOT NULL DEFAULT false;

-- Who could change patients' insurance goes on taking files; viewers need the right from now on (docs/adr/0113).
UPDATE staff_user SET can_export = true WHERE role <> 'viewer';
