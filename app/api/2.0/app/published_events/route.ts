// app/published_events: the same as published_events, under the contract's second path.
import * as published_events from "../../published_events/route";

export const { GET, POST, PUT, PATCH, DELETE, HEAD, OPTIONS } = published_events;
