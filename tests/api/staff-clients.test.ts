// API clients, as the admins of a practice manage them.
import { randomUUID } from "node:crypto";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { flushClientUse } from "@/lib/access/clients/authenticate";
import { createClient } from "@/lib/access/clients/commands";
import { setClock } from "@/lib/platform/clock";
import { db, sql } from "@/lib/platform/db/sql";
import { flushLegacyUse } from "@/lib/practice/practices/legacy-usage";
import { type Basics, call, seedBasics, seedPatient } from "@/tests/support/api";
import { historyOf } from "@/tests/support/history";
import { obtainToken, post, tokenForm } from "@/tests/support/oauth";
import { type SignedIn, signInAs, staffCallAs } from "@/tests/support/staff";

// Changes to a client must be visible immediately.
process.env.TOKEN_CACHE_MS = "0";

let basics: Basics;
let admin: SignedIn;

beforeAll(async () => {
  basics = await seedBasics();
  admin = await signInAs("admin", [basics.enabled, basics.disabled]);
});
afterEach(() => setClock());

const path = (rest = "") => `practices/${basics.enabled}/clients${rest}`;
const register = (body: object) =>
  staffCallAs(admin, "POST", path(), { body: { name: "Billing", practices: [basics.enabled], ...body } });
const find = async (id: number) =>
  (await staffCallAs(admin, "GET", path())).body.clients.find((client: { id: number }) => client.id === id);
const credentials = (body: { id: number; client_id: string; client_secret: string }) => ({
  id: body.id,
  clientId: body.client_id,
  clientSecret: body.client_secret,
});

describe("an API client", () => {
  test("is registered with a secret that is shown once", async () => {
    const created = await register({});
    expect(created.status).toBe(201);
    const token = await obtainToken(credentials(created.body));
    expect((await call("GET", `practices/${basics.enabled}`, { token })).status).toBe(200);
    expect((await call("GET", `practices/${basics.disabled}`, { token })).status).toBe(404);
    expect(JSON.stringify(await find(created.body.id))).not.toContain(created.body.client_secret);
    const history = await historyOf("oauth_client", created.body.id);
    expect(history).toMatchObject([{ version: 1, kind: "created", changes: { name: { new: "Billing" } } }]);
    expect(JSON.stringify(history)).not.toContain(created.body.client_secret);
  });

  test("is registered once per Idempotency-Key; the repeat says so and does not show the secret", async () => {
    const [headers, name] = [{ "idempotency-key": randomUUID() }, `Once ${randomUUID()}`];
    const send = (who = admin, body = { name, practices: [basics.enabled] }) =>
      staffCallAs(who, "POST", path(), { body, headers });
    const first = await send();
    const again = await send();
    expect([first.status, again.status, again.body.code]).toEqual([201, 409, "idempotency_told_once"]);
    const { clients } = (await staffCallAs(admin, "GET", path())).body;
    expect(clients.filter((client: { name: string }) => client.name === name)).toHaveLength(1);
    const kept = await db.rows(sql`SELECT * FROM idempotency_key WHERE key = ${headers["idempotency-key"]}`);
    expect(kept).toMatchObject([{ client_id: -admin.userId, state: "completed", status: 409 }]);
    expect(JSON.stringify(kept)).not.toContain(first.body.client_secret);
    // The key belongs to the user and to this request.
    expect((await send(admin, { name: "Other", practices: [basics.enabled] })).body.code).toBe(
      "idempotency_key_reused",
    );
    expect((await send(await signInAs("admin", [basics.enabled]))).status).toBe(201);
  });

  test("is limited to scopes of the specification", async () => {
    const allowed_scopes = ["system/patients.read"];
    const created = await register({ scoped_tokens: true, allowed_scopes });
    const client = credentials(created.body);
    expect((await post("token", tokenForm(client, { scope: "system/patients.read" }))).status).toBe(200);
    expect((await post("token", tokenForm(client))).status).toBe(400);
    const unknown = await register({ allowed_scopes: ["system/unicorns.read"] });
    expect([unknown.status, Object.keys(unknown.body)]).toEqual([400, ["allowed_scopes"]]);
  });

  test("only reaches the admin's practices", async () => {
    const narrow = await signInAs("admin", [basics.enabled]);
    for (const practices of [[basics.enabled, basics.disabled], [basics.foreign], [basics.disabled]]) {
      const body = { name: "Too much", practices };
      expect((await staffCallAs(narrow, "POST", path(), { body })).status).toBe(400);
    }
    const wide = await createClient({
      name: "Wide",
      organizationId: basics.organization,
      practices: [basics.enabled, basics.disabled],
    });
    const view = (await staffCallAs(narrow, "GET", path())).body.clients.find(
      ({ id }: { id: number }) => id === wide.id,
    );
    expect(view).toMatchObject({ practices: [basics.enabled], elsewhere: true });
    const [secret] = view.secrets;
    const rejected = await Promise.all([
      staffCallAs(narrow, "POST", path(`/${wide.id}/secrets`), { body: { keep_hours: 1 } }),
      staffCallAs(narrow, "DELETE", path(`/${wide.id}/secrets/${secret.id}`)),
      staffCallAs(narrow, "PATCH", path(`/${wide.id}`), { body: { allowed_scopes: [] } }),
    ]);
    expect(rejected.map(({ body }) => body.code)).toEqual(Array(3).fill("belongs_elsewhere"));
    expect((await staffCallAs(narrow, "DELETE", path(`/${wide.id}`))).status).toBe(204);
    expect((await staffCallAs(narrow, "DELETE", path(`/${wide.id}`))).status).toBe(404);
    const token = await obtainToken(wide);
    expect((await call("GET", `practices/${basics.enabled}`, { token })).status).toBe(404);
    expect((await call("GET", `practices/${basics.disabled}`, { token })).status).toBe(200);
  });

  test("looks absent to another organization", async () => {
    const foreign = await createClient({ name: "Foreign", organizationId: basics.organization, practices: [] });
    expect(await find(foreign.id)).toBeUndefined();
    expect((await staffCallAs(admin, "PATCH", path(`/${foreign.id}`), { body: { name: "Mine" } })).status).toBe(404);
  });

  test("has two valid secrets during a rotation, until the old one expires", async () => {
    const old = credentials((await register({})).body);
    const rotate = (keep_hours: number) =>
      staffCallAs(admin, "POST", path(`/${old.id}/secrets`), { body: { keep_hours } });
    const created = await rotate(24);
    expect(created.status).toBe(201);
    const fresh = { ...old, clientSecret: created.body.client_secret };
    const oldToken = await obtainToken(old);
    await obtainToken(fresh);
    expect((await rotate(24)).body.code).toBe("two_secrets");
    expect((await find(old.id)).secrets).toHaveLength(2);
    setClock({ now: () => new Date(Date.now() + 25 * 3_600_000) });
    expect((await post("token", tokenForm(old))).status).toBe(401);
    expect((await post("token", tokenForm(fresh))).status).toBe(200);
    expect((await call("GET", `practices/${basics.enabled}`, { token: oldToken })).status).toBe(401);
    setClock();
    expect((await rotate(0)).status).toBe(201);
    expect((await post("token", tokenForm(fresh))).status).toBe(401);
  });

  test("loses its tokens with a revoked secret, and can be disabled and enabled", async () => {
    const client = credentials((await register({})).body);
    let token = await obtainToken(client);
    const patch = (body: object) => staffCallAs(admin, "PATCH", path(`/${client.id}`), { body });
    const read = async () => (await call("GET", `practices/${basics.enabled}`, { token })).status;
    expect((await patch({ disabled: true })).status).toBe(204);
    expect(await read()).toBe(401);
    await patch({ disabled: false });
    expect(await read()).toBe(401);
    token = await obtainToken(client);
    expect(await read()).toBe(200);
    const [secret] = (await find(client.id)).secrets;
    expect((await staffCallAs(admin, "DELETE", path(`/${client.id}/secrets/${secret.id}`))).status).toBe(204);
    expect(await read()).toBe(401);
    expect((await post("token", tokenForm(client))).status).toBe(401);
    expect((await historyOf("oauth_client", client.id)).map(({ changes }) => Object.keys(changes))).toEqual([
      ["name", "practices", "scoped_tokens", "allowed_scopes"],
      ["disabled"],
      ["disabled"],
      ["secret"],
    ]);
  });

  test("shows its tokens, its last use, and its progress in moving to policies", async () => {
    const client = credentials((await register({})).body);
    const token = await obtainToken(client);
    const patient = await seedPatient(basics.enabled, basics.physicians.enabled);
    const foreign = await seedPatient(basics.foreign, basics.physicians.foreign);
    await call("GET", `patients/${patient}`, { token });
    await call("GET", `patients/${patient}/policies`, { token });
    await call("GET", `patients/${patient}/policies`, { token });
    await call("GET", `patients/${foreign}/policies`, { token });
    await Promise.all([flushClientUse(), flushLegacyUse()]);
    expect(await find(client.id)).toMatchObject({
      open_tokens: 1,
      tokens_30: 1,
      calls_30: 4,
      legacy: { days_7: 1, days_30: 1 },
      policy: { days_7: 2, days_30: 2 },
      last_date: expect.any(String),
    });
    setClock({ now: () => new Date(Date.now() + 10 * 86_400_000) });
    const later = await staffCallAs(await signInAs("admin", [basics.enabled]), "GET", path());
    const view = later.body.clients.find(({ id }: { id: number }) => id === client.id);
    expect(view).toMatchObject({ legacy: { days_7: 0, days_30: 1 }, policy: { days_7: 0, days_30: 2 } });
  });
});
