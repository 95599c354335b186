-- Fields of the API's users that staff accounts had no place for. See ADR 0219. Servers of the previous version ignore them.
ALTER TABLE staff_user ADD COLUMN last_name TEXT, ADD COLUMN profile JSONB;
