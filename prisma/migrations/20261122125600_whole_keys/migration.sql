-- Keys of long texts were their first 200 characters, so that texts that began alike had the same key. They are whole up to 255
-- characters now; of longer ones they are the beginning and the hash of the whole (keyOf of lib/resources/rules.ts).
UPDATE resource_key k
SET value = CASE WHEN length(whole.text) <= 255 THEN whole.text
  ELSE left(whole.text, 255)
    || translate(rtrim(encode(sha256(convert_to(whole.text, 'UTF8')), 'base64'), '='), '+/', '-_') END
FROM (
  SELECT cut.resource, cut.field, cut.practice_id, cut.value, cut.record_id, lower(r.data ->> cut.field) AS text
  FROM resource_key cut JOIN resource_record r ON r.id = cut.record_id
  WHERE length(cut.value) = 200 AND jsonb_typeof(r.data -> cut.field) = 'string'
) AS whole
WHERE (k.resource, k.field, k.practice_id, k.value, k.record_id)
    = (whole.resource, whole.field, whole.practice_id, whole.value, whole.record_id)
  AND length(whole.text) > 200 AND left(whole.text, 200) = k.value;
