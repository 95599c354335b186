// The token for trying the API reference: only an installation with the demo gives it, and it reaches neither subscriptions nor settings.
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { POST } from "@/app/docs/demo-token/route";
import { hasDemo } from "@/lib/api/demo/commands";
import { config } from "@/lib/platform/config";
import { type Basics, call, seedBasics } from "../support/api";
import { seedClient, type TestClient } from "../support/oauth";

let basics: Basics;
let client: TestClient;
const file = () => path.join(config().CROSSWALK_DATA_DIR, "demo.json");
beforeAll(async () => {
  basics = await seedBasics();
  client = await seedClient({ organizationId: basics.organization, practices: [basics.enabled] });
});
afterEach(() => fs.rmSync(file(), { force: true }));

const ask = () => POST(new Request("http://localhost:3000/docs/demo-token", { method: "POST" }));

function writeDemo(client_secret: string): void {
  const { clientId: client_id } = client;
  fs.writeFileSync(file(), JSON.stringify({ clients: [{ client_id, client_secret, scoped_tokens: true }] }));
}

test("without the demo there is none, nor with accounts of another database or a damaged file", async () => {
  expect([await hasDemo(), (await ask()).status]).toEqual([false, 404]);
  writeDemo("not-the-secret");
  expect([await hasDemo(), (await ask()).status]).toEqual([false, 404]);
  fs.writeFileSync(file(), "{");
  expect([await hasDemo(), (await ask()).status]).toEqual([false, 404]);
});

test("with the demo, it reads records of the demo client's practices, and can't subscribe", async () => {
  writeDemo(client.clientSecret);
  expect(await hasDemo()).toBe(true);
  const response = await ask();
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const { access_token: token } = await response.json();
  const practices = await call("GET", "practices", { token });
  expect(practices.body.results.map(({ id }: { id: number }) => id)).toEqual([basics.enabled]);
  const body = { resource: "patients", target: "http://127.0.0.1:4250/" };
  expect((await call("POST", "subscriptions", { token, body })).status).toBe(403);
});
