// The token for trying the API reference: only admins of the demo get it, and it reaches neither subscriptions nor settings.
import fs from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, expect, test } from "vitest";
import { POST } from "@/app/docs/demo-token/route";
import { config } from "@/lib/platform/config";
import { type Basics, call, seedBasics } from "../support/api";
import { seedClient, type TestClient } from "../support/oauth";
import { type SignedIn, signInAs } from "../support/staff";

let basics: Basics;
let client: TestClient;
let admin: Pick<SignedIn, "cookie">;
const file = () => path.join(config().CROSSWALK_DATA_DIR, "demo.json");
beforeAll(async () => {
  basics = await seedBasics();
  client = await seedClient({ organizationId: basics.organization, practices: [basics.enabled] });
  admin = await signInAs("admin", [basics.enabled]);
});
afterEach(() => fs.rmSync(file(), { force: true }));

const ask = ({ cookie } = admin) =>
  POST(new Request("http://localhost:3000/docs/demo-token", { method: "POST", headers: { cookie } }));

function writeDemo(client_secret: string): void {
  const { clientId: client_id } = client;
  fs.writeFileSync(file(), JSON.stringify({ clients: [{ client_id, client_secret, scoped_tokens: true }] }));
}

test("no token without the demo, or if demo.json is damaged or belongs to another database", async () => {
  expect((await ask()).status).toBe(404);
  writeDemo("not-the-secret");
  expect((await ask()).status).toBe(404);
  fs.writeFileSync(file(), "{");
  expect((await ask()).status).toBe(404);
});

test("with the demo, it reads records of the demo client's practices, and can't subscribe", async () => {
  writeDemo(client.clientSecret);
  const response = await ask();
  expect([response.status, response.headers.get("cache-control")]).toEqual([200, "no-store"]);
  const { access_token: token } = await response.json();
  const practices = await call("GET", "practices", { token });
  expect(practices.body.results.map(({ id }: { id: number }) => id)).toEqual([basics.enabled]);
  const body = { resource: "patients", target: "http://127.0.0.1:4250/" };
  expect((await call("POST", "subscriptions", { token, body })).status).toBe(403);
});

test("only an admin of all practices of the demo client gets one", async () => {
  writeDemo(client.clientSecret);
  const users = [{ cookie: "" }, await signInAs("staff", [basics.enabled]), await signInAs("admin", [basics.disabled])];
  for (const user of users) expect((await ask(user)).status).toBe(404);
});
