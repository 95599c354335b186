// app/published_events/{event_id}: the contract's second path for published_events/{event_id}.
import * as publishedEvent from "../../../published_events/[event_id]/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = publishedEvent;
