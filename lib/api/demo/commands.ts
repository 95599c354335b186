import fs from "node:fs/promises";
import path from "node:path";
import { z } from "zod";
import { auditIssuedToken } from "@/lib/access/clients/audit-commands";
import { issueToken, verifyClient } from "@/lib/access/clients/commands";
import type { Origin } from "@/lib/access/identity/access";
import { SPECIFIC_SCOPES } from "@/lib/access/identity/scopes";
import type { StaffAccess } from "@/lib/access/staff/access";
import { config } from "@/lib/platform/config";

const LIFETIME_SECONDS = 3_600;

/** The part of demo.json that names the demo's clients. */
const demoFile = z.object({
  clients: z.array(z.object({ client_id: z.string(), client_secret: z.string(), scoped_tokens: z.boolean() })),
});

/** Returns whether the user can get a token of the demo. */
export async function offersDemoToken(access: StaffAccess | null): Promise<boolean> {
  return (await findDemoClient(access)) !== null;
}

/**
 * Issues a token of a demo client for one hour to an admin of all of the client's practices. It doesn't allow access to subscriptions,
 * because the server of a demo can call private addresses. Returns null for other users, if the installation has no demo, and if its data
 * folder belongs to another database.
 */
export async function issueDemoToken(access: StaffAccess | null, origin: Origin): Promise<string | null> {
  const found = await findDemoClient(access);
  if (!found) return null;
  const { client, secretId } = found;
  const scopes = SPECIFIC_SCOPES;
  const token = await issueToken({ clientId: client.id, secretId, scopes, lifetimeSeconds: LIFETIME_SECONDS });
  await auditIssuedToken({ client, secretId, scopes }, origin);
  return token;
}

async function findDemoClient(access: StaffAccess | null) {
  if (access?.role !== "admin") return null;
  // Only an installation with the demo has this file.
  const file = path.join(config().CROSSWALK_DATA_DIR, "demo.json");
  const demo: unknown = await fs
    .readFile(file, "utf8")
    .then(JSON.parse)
    .catch(() => null);
  const client = demoFile.safeParse(demo).data?.clients.find(({ scoped_tokens }) => scoped_tokens);
  const found = client ? await verifyClient(client.client_id, client.client_secret) : null;
  return found?.client.practices.every((id) => access.practices.includes(id)) ? found : null;
}
