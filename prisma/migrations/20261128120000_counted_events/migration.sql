-- How many events each client has been sent about each practice, of those up to event_count_progress.last_id. Housekeeping counts them
-- (ADR 0232).
CREATE TABLE event_count (
  client_id BIGINT NOT NULL,
  practice_id BIGINT NOT NULL,
  events BIGINT NOT NULL,
  PRIMARY KEY (client_id, practice_id)
);

-- A single row.
CREATE TABLE event_count_progress (
  id BOOLEAN NOT NULL DEFAULT TRUE PRIMARY KEY,
  last_id BIGINT NOT NULL,
  CONSTRAINT event_count_progress_single CHECK (id)
);
INSERT INTO event_count_progress (last_id) VALUES (0);

-- Subtracts deleted events that were counted, even those that an operator deletes.
CREATE FUNCTION subtract_deleted_events() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  counted_to bigint;
BEGIN
  -- If events are being counted, waits until that is committed. The next ones are counted without the deleted events.
  SELECT last_id INTO counted_to FROM event_count_progress FOR UPDATE;
  UPDATE event_count c SET events = c.events - gone.events
  FROM (SELECT client_id, practice_id, count(*) AS events FROM deleted WHERE id <= counted_to GROUP BY client_id, practice_id) AS gone
  WHERE c.client_id = gone.client_id AND c.practice_id = gone.practice_id;
  RETURN NULL;
END $$;

CREATE TRIGGER published_event_uncount AFTER DELETE ON published_event
  REFERENCING OLD TABLE AS deleted FOR EACH STATEMENT EXECUTE FUNCTION subtract_deleted_events();
