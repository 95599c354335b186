// app/published_events/{event_id}: the same as published_events/{event_id}, under the contract's second path.
import * as publishedEvent from "../../../published_events/[event_id]/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = publishedEvent;
