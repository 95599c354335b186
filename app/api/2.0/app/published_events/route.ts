// app/published_events: the contract's second path for published_events.
import * as published_events from "../../published_events/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = published_events;
