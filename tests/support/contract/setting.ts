// The environment of contract tests: one record of each resource, clients with and without access, and a real
// server.
import type http from "node:http";
import net from "node:net";
import { apiRoutes } from "@/generated/api-routes";
import { disableClient, issueToken, verifyClient } from "@/lib/access/clients/commands";
import { db, sql } from "@/lib/platform/db/sql";
import { createServer, listen, stopServer } from "@/lib/platform/http/server";
import { seedPatient, tokenFor } from "../api";
import { seedClient, type TestClient } from "../oauth";
import { SPECIFIED_SCOPES, specifiedScope } from "../specified-scopes";
import { seedWorld, type World } from "../world";
import type { Operation } from "./operations";

/** Credentials that an operation rejects, and the security event that using them leaves. */
export interface RejectedCredentials {
  token?: string;
  status: 401 | 403;
  code: string;
  /** The event's operation and cause; null if none is stored. */
  event: readonly [operation: string, cause: string] | null;
}

export interface Setting {
  world: World;
  /** A token for another practice of the same organization. */
  sibling: string;
  /** Patients without records: one of another organization, one of the world's practice. */
  emptyPatients: { foreign: number; own: number };
  /** Credentials that no operation accepts. */
  rejected: readonly RejectedCredentials[];
  /** By scope: tokens for the world's practice with this scope alone, and with every specific scope but this one. */
  tokensByScope: ReadonlyMap<string, { alone: string; allOthers: string }>;
  /** Sends a request exactly as written; a web Request would repair or reject it. */
  exchange(method: string, target: string, headers: Record<string, string>): Promise<number>;
  close(): Promise<void>;
}

/** Seeds what the operations are tested with. */
export async function openSetting(operations: readonly Operation[]): Promise<Setting> {
  const world = await seedWorld();
  const { organization: organizationId, enabled, disabled, foreign, physicians } = world.basics;
  const client = await seedClient({ organizationId, practices: [disabled] });
  const tokensByScope = new Map<string, { alone: string; allOthers: string }>();
  for (const { method, path } of operations) {
    const scope = specifiedScope(method, path);
    if (tokensByScope.has(scope)) continue;
    const others = SPECIFIED_SCOPES.filter((other) => other !== scope);
    tokensByScope.set(scope, { alone: await issue(client, [scope]), allOthers: await issue(client, others) });
  }
  const server = await startServer();
  return {
    world,
    sibling: await tokenFor({ organizationId, practices: [enabled] }),
    emptyPatients: {
      foreign: await seedPatient(foreign, physicians.foreign),
      own: await seedPatient(disabled, physicians.disabled),
    },
    rejected: await seedRejected(organizationId, disabled),
    tokensByScope,
    exchange: (method, target, headers) =>
      exchange(server.port, method, target, { authorization: `Bearer ${world.basics.token}`, ...headers }),
    close: server.close,
  };
}

async function issue(client: TestClient, scopes: readonly string[] = ["apiv2"]): Promise<string> {
  const verified = await verifyClient(client.clientId, client.clientSecret);
  return issueToken({ clientId: client.id, secretId: verified?.secretId ?? 0, scopes, lifetimeSeconds: 3600 });
}

/** Creates one client for each way to lose access to the practice of the world's records, and includes a missing token. */
async function seedRejected(organizationId: number, practice: number): Promise<RejectedCredentials[]> {
  const past = new Date(Date.now() - 60_000);
  const invalid = async (cause: string, invalidate: (client: TestClient) => Promise<unknown>) => {
    const client = await seedClient({ organizationId, practices: [practice] });
    const token = await issue(client);
    await invalidate(client);
    return { token, status: 401, code: "invalid_token", event: ["token.rejected", cause] } as const;
  };
  return [
    { status: 401, code: "not_authenticated", event: null },
    await invalid("token_expired", ({ id }) =>
      db.run(sql`UPDATE oauth_token SET expires_date = ${past} WHERE client_id = ${id}`),
    ),
    await invalid("token_revoked", ({ id }) =>
      db.run(sql`UPDATE oauth_token SET revoked_date = ${past} WHERE client_id = ${id}`),
    ),
    await invalid("secret_expired", ({ id }) =>
      db.run(sql`UPDATE oauth_client_secret SET expires_date = ${past} WHERE client_id = ${id}`),
    ),
    await invalid("client_disabled", ({ id }) => disableClient(id)),
  ];
}

async function startServer() {
  const pages = async (_request: http.IncomingMessage, response: http.ServerResponse) => {
    response.writeHead(404).end();
  };
  const server = createServer({ routes: { api: apiRoutes, staff: [] }, pages, trustProxy: false });
  const port = await listen(server, { port: 0, host: "127.0.0.1" });
  return { port, close: () => stopServer(server, 1000) };
}

/** Sends a request over a new socket and returns the status of the response. */
function exchange(port: number, method: string, target: string, headers: Record<string, string>): Promise<number> {
  const all = { host: "localhost", connection: "close", "content-length": "0", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`);
  return new Promise((resolve, reject) => {
    let text = "";
    const socket = net.connect(port, "127.0.0.1", () => {
      socket.write(Buffer.from(`${method} ${target} HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n`, "latin1"));
    });
    socket.on("data", (chunk) => {
      text += chunk;
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(Number(/^HTTP\/1\.1 (\d+)/.exec(text)?.[1])));
  });
}
