-- published_event_by_client replaces it.
DROP INDEX CONCURRENTLY IF EXISTS published_event_client_id_id_idx;
