// Writes the demo for `npm start`: its data once, and its accounts into demo.json of the data folder.
import { randomBytes } from "node:crypto";
import { chmod, mkdir, readFile, rename, writeFile } from "node:fs/promises";
import path from "node:path";
import { addSecret, removeSecret, verifyClient } from "@/lib/access/clients/commands";
import { listClients } from "@/lib/access/clients/queries";
import { createStaffUser, setStaffPassword } from "@/lib/access/staff/commands";
import { verifyPassword } from "@/lib/access/staff/passwords";
import { listStaffUsers } from "@/lib/access/staff/queries";
import type { StaffRole } from "@/lib/access/staff/roles";
import { findOrganization, listPracticesOf } from "@/lib/access/tenancy/organizations";
import { startConsumer } from "@/lib/insurance/replication/consumer";
import { config } from "@/lib/platform/config";
import { withAdvisoryLock } from "@/lib/platform/db/advisory-lock";
import { type DemoClient, writeDemo } from "@/prisma/seed/demo";
import { ORGANIZATIONS, STAFF } from "@/prisma/seed/practices";

/** The contents of demo.json. */
export interface DemoFile {
  base_url: string;
  practices: { id: number; name: string; insurance_versioning_enabled: boolean }[];
  clients: { client_id: string; client_secret: string; practices: number[]; scoped_tokens: boolean }[];
  staff: { email: string; password: string; role: StaffRole; practices: number[] }[];
}

/**
 * Writes the demo unless the database has it, and its accounts into demo.json. Clients whose secrets the file no longer has get new
 * ones.
 */
export async function seedDemo({ baseUrl }: { baseUrl: string }): Promise<DemoFile> {
  const taken = "Another process is writing the demo. Wait until it has finished.";
  return withAdvisoryLock({ name: "demo", taken, waitMs: 60_000 }, async () => {
    const isThere = (await findOrganization(ORGANIZATIONS[0]?.name ?? "")) !== null;
    const fresh = isThere ? [] : await withConsumer(writeDemo);
    const demo = await describeDemo(baseUrl, fresh);
    await writePrivately(path.join(config().CROSSWALK_DATA_DIR, "demo.json"), `${JSON.stringify(demo, null, 2)}\n`);
    return demo;
  });
}

/** Replicates while the demo is written. Every write waits for the other store, and a worker may not run yet. */
async function withConsumer<T>(work: () => Promise<T>): Promise<T> {
  if (config().STREAM_CONSUMER === "inline") return work();
  const consumer = startConsumer();
  return work().finally(() => consumer.stop());
}

async function describeDemo(base_url: string, fresh: readonly DemoClient[]): Promise<DemoFile> {
  const earlier = await readEarlierDemo();
  const known = fresh.length > 0 ? fresh : (earlier?.clients ?? []).map(toDemoClient);
  const demo: DemoFile = { base_url, practices: [], clients: [], staff: [] };
  for (const { name, clients: own } of ORGANIZATIONS) {
    const organization = await findOrganization(name);
    if (!organization) continue;
    demo.practices.push(...(await listPracticesOf(organization.id)));
    for (const client of await listClients(organization.id)) {
      if (!own.some((ours) => ours.name === client.name)) continue;
      const { client_id, practices, scoped_tokens } = client;
      const client_secret = await secretOf(client, known);
      demo.clients.push({ client_id, client_secret, practices, scoped_tokens });
    }
  }
  const [home] = demo.clients;
  for (const user of STAFF) demo.staff.push(await signInOf(user, home?.practices ?? [], earlier));
  return demo;
}

/** Returns a staff account with a valid password, from an earlier demo.json or a new one. */
async function signInOf(
  user: (typeof STAFF)[number],
  practices: number[],
  earlier: DemoFile | null,
): Promise<DemoFile["staff"][number]> {
  const { email, name, role } = user;
  const [there] = await listStaffUsers(email);
  const given = earlier?.staff.find((account) => account.email === email)?.password;
  if (there && given && (await verifyPassword(given, there.password_hash))) {
    return { email, password: given, role, practices: there.practices };
  }
  const password = randomBytes(12).toString("base64url");
  if (there) await setStaffPassword(there.id, password);
  else await createStaffUser({ email, name, password, role, practices });
  return { email, password, role, practices: there?.practices ?? practices };
}

/** Reads an earlier demo.json. Returns null if it doesn't exist. */
async function readEarlierDemo(): Promise<DemoFile | null> {
  try {
    return JSON.parse(await readFile(path.join(config().CROSSWALK_DATA_DIR, "demo.json"), "utf8")) as DemoFile;
  } catch {
    return null;
  }
}

function toDemoClient({ client_id, client_secret }: DemoFile["clients"][number]): DemoClient {
  return { clientId: client_id, clientSecret: client_secret };
}

async function secretOf(
  client: { id: number; client_id: string; secrets: readonly number[] },
  known: readonly DemoClient[],
): Promise<string> {
  const secret = known.find(({ clientId }) => clientId === client.client_id)?.clientSecret;
  if (secret && (await verifyClient(client.client_id, secret))) return secret;
  // Only hashes are stored, so a lost secret can only be replaced.
  for (const id of client.secrets) await removeSecret(client.id, id);
  return (await addSecret(client.id)).clientSecret;
}

/** Writes a file that only its owner can read. It replaces the old one in one step. */
async function writePrivately(file: string, text: string): Promise<void> {
  const draft = `${file}.${randomBytes(4).toString("hex")}`;
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(draft, text, { mode: 0o600 });
  await chmod(draft, 0o600);
  await rename(draft, file);
}
