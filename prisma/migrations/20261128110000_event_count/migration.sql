-- The events of a client in order, and their number by practice without reading the table.
CREATE INDEX CONCURRENTLY IF NOT EXISTS published_event_by_client ON published_event (client_id, id, practice_id);
