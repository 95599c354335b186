-- The W3C Trace Context of the change, if it was traced.
ALTER TABLE published_event ADD COLUMN traceparent TEXT;
