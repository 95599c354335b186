// Deliveries are verified by the libraries that receivers use: the npm packages standardwebhooks and svix.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { Webhook as StandardWebhook } from "standardwebhooks";
import { Webhook as SvixWebhook } from "svix";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { startWebhooks } from "@/lib/background/webhooks";
import { db, sql } from "@/lib/platform/db/sql";
import type { Background } from "@/lib/platform/jobs/background";
import { freePort } from "@/scripts/lib/free-port.mjs";
import { type Basics, call, seedBasics } from "../support/api";
import { blockOf, ROOT, readGuide } from "../support/guides";
import {
  type Client,
  createListener,
  eventually,
  isSigned,
  type Subscription,
  seedPatients,
} from "../support/webhook-clients";
import { type ReceivedRequest, type Receiver, startReceiver, stopReceivers } from "../support/webhook-receivers";

process.env.WEBHOOK_ALLOW_PRIVATE = "true";

interface Verifier {
  verify(body: string, headers: Record<string, string>): unknown;
}
const LIBRARIES: [name: string, create: (secret: string) => Verifier][] = [
  ["standardwebhooks", (secret) => new StandardWebhook(secret)],
  ["svix", (secret) => new SvixWebhook(secret)],
];

let basics: Basics;
let receiver: Receiver;
let delivery: Background;
let client: Client;
let subscription: Subscription;
let patient: number;

beforeAll(async () => {
  basics = await seedBasics();
  receiver = await startReceiver();
  delivery = startWebhooks();
  ({ client, subscription } = await createListener(basics, `http://127.0.0.1:${receiver.port}/libraries`));
  [patient] = (await seedPatients(basics, 1)) as [number];
});
afterAll(async () => {
  await delivery.stop();
  await stopReceivers();
});

/** Changes a record and returns the webhook that the receiver gets. */
async function deliver(): Promise<ReceivedRequest> {
  const before = receiver.requests.length;
  const body = { middle_name: `N${before}` };
  expect((await call("PATCH", `patients/${patient}`, { token: basics.token, body })).status).toBe(200);
  return eventually(async () => receiver.requests[before] ?? null);
}

async function rotate(body: object): Promise<{ signing_secret: string; old_secrets_end: string | null }> {
  const created = await call("POST", `subscriptions/${subscription.id}/signing_secret`, { token: client.token, body });
  expect(created.status).toBe(201);
  return created.body;
}

const headersOf = ({ headers }: ReceivedRequest) => headers as Record<string, string>;
const signaturesOf = (webhook: ReceivedRequest) => String(webhook.headers["webhook-signature"]).split(" ");

/** Expects that both libraries verify a webhook with the first secrets, and reject it with the others. */
function expectVerified(webhook: ReceivedRequest, accepted: readonly string[], rejected: readonly string[] = []): void {
  for (const [, create] of LIBRARIES) {
    for (const secret of accepted) {
      expect(create(secret).verify(webhook.body, headersOf(webhook))).toMatchObject({ resource: "patients" });
    }
    for (const secret of rejected) {
      expect(() => create(secret).verify(webhook.body, headersOf(webhook))).toThrow("No matching signature found");
    }
  }
  expect(signaturesOf(webhook).map((signature) => signature.split(",")[0])).toEqual([
    "v1a",
    ...accepted.map(() => "v1"),
  ]);
  const {
    "webhook-id": id = "",
    "webhook-timestamp": timestamp = "",
    "webhook-signature": signature = "",
  } = headersOf(webhook);
  expect(isSigned(subscription, { id, timestamp, signature, body: webhook.body })).toBe(true);
}

describe.each(LIBRARIES)("%s", (_name, create) => {
  test("verifies a delivery with the secret of the subscription", async () => {
    const webhook = await deliver();
    const payload = create(subscription.signing_secret).verify(webhook.body, headersOf(webhook));
    expect(payload).toMatchObject({ action: "saved", resource: "patients", data: { id: patient } });
  });

  test("rejects a delivery whose body, ID or timestamp was changed", async () => {
    const webhook = await deliver();
    const library = create(subscription.signing_secret);
    const headers = headersOf(webhook);
    const later = String(Number(headers["webhook-timestamp"]) + 1);
    expect(() => library.verify(`${webhook.body} `, headers)).toThrow();
    expect(() => library.verify(webhook.body.replace("saved", "Saved"), headers)).toThrow();
    expect(() => library.verify(webhook.body, { ...headers, "webhook-id": basics.token })).toThrow();
    expect(() => library.verify(webhook.body, { ...headers, "webhook-timestamp": later })).toThrow();
  });
});

test("the guide's receiver accepts a delivery, and rejects one that was changed", async () => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-receiver-"));
  fs.symlinkSync(path.join(ROOT, "node_modules"), path.join(folder, "node_modules"));
  fs.writeFileSync(path.join(folder, "receiver.mjs"), blockOf(readGuide("webhooks.md"), "js"));
  const port = await freePort();
  const listener = await createListener(basics, `http://127.0.0.1:${port}/guide`);
  const secrets = `${subscription.signing_secret} ${listener.subscription.signing_secret}`;
  const env = { PATH: process.env.PATH, WEBHOOK_SECRETS: secrets, PORT: String(port), NODE_ENV: "test" as const };
  const program = spawn(process.execPath, ["receiver.mjs"], { cwd: folder, env, stdio: ["ignore", "pipe", "inherit"] });
  try {
    let output = "";
    program.stdout.on("data", (chunk) => {
      output += chunk;
    });
    await eventually(async () => (output.includes("listening on") ? true : null));
    const webhook = await deliver();
    await eventually(async () => (output.includes(`saved patients ${patient}\n`) ? true : null));
    const headers = Object.fromEntries(
      Object.entries(headersOf(webhook)).filter(([name]) => name.startsWith("webhook-")),
    );
    const send = (body: string) =>
      fetch(`http://127.0.0.1:${port}/`, { method: "POST", headers, body }).then((r) => r.status);
    expect([await send(webhook.body), await send(`${webhook.body} `)]).toEqual([204, 401]);
  } finally {
    program.kill("SIGKILL");
    fs.rmSync(folder, { recursive: true });
    await call("DELETE", `subscriptions/${listener.subscription.id}`, { token: listener.client.token });
  }
});

describe("a rotation", () => {
  test("signs with both secrets until the previous one expires, and then only with the new one", async () => {
    const first = subscription.signing_secret;
    const { signing_secret: second, old_secrets_end } = await rotate({});
    const hours = (Date.parse(String(old_secrets_end)) - Date.now()) / 3_600_000;
    expect(hours).toBeGreaterThan(23.9);
    expect(hours).toBeLessThanOrEqual(24);
    expectVerified(await deliver(), [second, first]);
    await db.run(sql`UPDATE subscription
      SET signing_secrets = jsonb_set(signing_secrets, '{1,expires_date}', to_jsonb('2026-01-01T00:00:00.000Z'::text))
      WHERE id = ${subscription.id}`);
    expectVerified(await deliver(), [second], [first]);
    const { signing_secret: third } = await rotate({ keep_hours: 1 });
    expectVerified(await deliver(), [third, second], [first]);
    const { signing_secret: fourth, ...rest } = await rotate({ keep_hours: 0 });
    expect(rest.old_secrets_end).toBeNull();
    expectVerified(await deliver(), [fourth], [first, second, third]);
  });

  test("gives a subscription from before this version its first secret", async () => {
    await db.run(sql`UPDATE subscription SET signing_secrets = NULL WHERE id = ${subscription.id}`);
    expectVerified(await deliver(), []);
    const { signing_secret, old_secrets_end } = await rotate({});
    expect(old_secrets_end).toBeNull();
    expectVerified(await deliver(), [signing_secret]);
  });

  test("never lets a previous secret sign longer than it would have", async () => {
    await rotate({ keep_hours: 0 });
    const { old_secrets_end: soon } = await rotate({ keep_hours: 1 });
    await rotate({ keep_hours: 168 });
    const stored = await db.one<{ ends: (string | null)[] }>(sql`
      SELECT jsonb_path_query_array(signing_secrets, '$[*].expires_date') AS ends FROM subscription
      WHERE id = ${subscription.id}`);
    expect(stored.ends).toEqual([null, expect.any(String), soon]);
  });
});
