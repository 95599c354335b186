-- Lists of recurring event groups are filtered by the days of one schedule: its last and first day are one key. A schedule that
-- names neither an interval nor a day of the week takes place once.
DELETE FROM "resource_key" WHERE "resource" = 'recurring_event_groups' AND "field" IN ('series_start', 'series_stop');

INSERT INTO "resource_key" ("resource", "field", "practice_id", "value", "record_id")
SELECT DISTINCT r."resource", 'series', coalesce(r."practice_id", 0),
  CASE WHEN s ->> 'repeats' IS NULL AND NOT EXISTS (
      SELECT FROM jsonb_each(s) AS part WHERE part.key LIKE 'dow\_%' AND part.value = 'true')
    THEN s ->> 'series_start' ELSE coalesce(s ->> 'series_stop', '9999-12-31') END || '/' || (s ->> 'series_start'),
  r."id"
FROM "resource_record" r CROSS JOIN jsonb_array_elements(r."data" -> 'schedules') AS s
WHERE r."resource" = 'recurring_event_groups' AND r."deleted_date" IS NULL;
