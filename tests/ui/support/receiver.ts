// A local webhook receiver that responds as a test wants, and counts its requests.
import http from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { api, newName } from "./demo";

export interface Receiver {
  /** The subscribed target, which no other subscription has. */
  name: string;
  /** Sets the status of all later responses. */
  respondWith: (status: number) => void;
  /** How often an event arrived. */
  timesOf: (event: PublishedEvent) => number;
  /** Its events as the API shows them, newest first. */
  events: () => Promise<PublishedEvent[]>;
  stop: () => Promise<void>;
}

export interface PublishedEvent {
  event_id: number;
  target: string;
  processed_date: string | null;
  error_content: string | null;
  status_code: number | null;
}

const LISTENER = 1;
const RESOURCE = "insurance_companies";

/**
 * Subscribes the demo's second client to insurance companies, which no other test creates, and has the first client
 * create `count` of them. The receiver responds with `status` at first. Each is a separate record: events of one record would wait for each other.
 */
export async function startReceiver(practice: number, count: number, status = 500): Promise<Receiver> {
  let current = status;
  const times = new Map<number, number>();
  const server = http.createServer(async (request, response) => {
    const body = await text(request).catch(() => null);
    // The sender disconnected in the middle of the body.
    if (body === null) return;
    const { event_id } = JSON.parse(body) as { event_id: number };
    times.set(event_id, (times.get(event_id) ?? 0) + 1);
    response.writeHead(current).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const name = `ui-${newName().toLowerCase()}`;
  const target = `http://127.0.0.1:${port}/${name}`;
  const { id } = await api("POST", "subscriptions", { body: { resource: RESOURCE, target }, client: LISTENER });
  for (let turn = 1; turn <= count; turn++)
    await api("POST", `${RESOURCE}/`, { body: { carrier: `${name} ${turn}`, practice } });
  return {
    name,
    respondWith: (next) => {
      current = next;
    },
    timesOf: ({ event_id }) => times.get(event_id) ?? 0,
    events: () => eventsFor(target),
    stop: async () => {
      await api("DELETE", `subscriptions/${id}`, { client: LISTENER });
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

async function eventsFor(target: string): Promise<PublishedEvent[]> {
  const found: PublishedEvent[] = [];
  let path: string | null = `published_events?resource=${RESOURCE}&limit=100`;
  while (path) {
    const { results, next }: { results: PublishedEvent[]; next: string | null } = await api("GET", path, {
      client: LISTENER,
    });
    found.push(...results.filter((event) => event.target === target));
    path = next && (next.split("/api/2.0/")[1] ?? null);
  }
  return found.sort((a, b) => b.event_id - a.event_id);
}
