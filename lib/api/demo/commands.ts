import fs from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { auditIssuedToken } from "@/lib/access/clients/audit-commands";
import { issueToken, verifyClient } from "@/lib/access/clients/commands";
import type { Origin } from "@/lib/access/identity/access";
import { SPECIFIC_SCOPES } from "@/lib/access/identity/scopes";
import { config } from "@/lib/platform/config";

const LIFETIME_SECONDS = 3_600;

/** The part of demo.json that names the demo's clients. */
const demoFile = z.object({
  clients: z.array(z.object({ client_id: z.string(), client_secret: z.string(), scoped_tokens: z.boolean() })),
});

/** Returns whether this installation has the demo. Only a demo has demo.json in its data folder. */
export async function hasDemo(): Promise<boolean> {
  return (await findDemoClient()) !== null;
}

/**
 * Issues a token of a demo client to anyone, for one hour. It allows access to records of the demo alone, and not to subscriptions, because
 * the server of a demo can call private addresses. Returns null if the installation has no demo, or if its data folder belongs to
 * another database.
 */
export async function issueDemoToken(origin: Origin): Promise<string | null> {
  const found = await findDemoClient();
  if (!found) return null;
  const { client, secretId } = found;
  const scopes = SPECIFIC_SCOPES;
  const token = await issueToken({ clientId: client.id, secretId, scopes, lifetimeSeconds: LIFETIME_SECONDS });
  await auditIssuedToken({ client, secretId, scopes }, origin);
  return token;
}

async function findDemoClient() {
  const file = path.join(config().CROSSWALK_DATA_DIR, "demo.json");
  const demo: unknown = await fs
    .readFile(file, "utf8")
    .then(JSON.parse)
    .catch(() => null);
  const client = demoFile.safeParse(demo).data?.clients.find(({ scoped_tokens }) => scoped_tokens);
  return client ? verifyClient(client.client_id, client.client_secret) : null;
}
