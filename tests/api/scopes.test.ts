// The scopes of the specification (Authentication 5-10). Which scope each operation requires is in operation-contract.
import { beforeAll, describe, expect, test } from "vitest";
import { GLOBAL_SCOPE, SPECIFIC_SCOPES } from "@/lib/access/identity/scopes";
import { call, seedBasics, tokenFor } from "@/tests/support/api";
import { PUBLIC_PATHS } from "@/tests/support/contract/operations";
import { post, seedClient, type TestClient, tokenForm } from "@/tests/support/oauth";
import { REFERENCE_DATA, SPECIFIED_RESOURCES, SPECIFIED_SCOPES } from "@/tests/support/specified-scopes";
import { ENDPOINTS } from "@/tests/support/world";

let client: TestClient;
let tokenWith: (scope: string) => Promise<string>;

beforeAll(async () => {
  const { organization: organizationId, enabled } = await seedBasics();
  client = await seedClient({ organizationId, practices: [enabled] });
  tokenWith = (scope) => tokenFor({ organizationId, practices: [enabled], scopes: [scope] });
});

describe("the scopes", () => {
  test("are the 151 of the specification's 78 resources", () => {
    expect([new Set(SPECIFIED_RESOURCES).size, new Set(SPECIFIED_SCOPES).size]).toEqual([78, 151]);
    expect([...SPECIFIC_SCOPES].sort()).toEqual(SPECIFIED_SCOPES.toSorted());
  });

  test("are granted individually", async () => {
    for (const scope of SPECIFIED_SCOPES) {
      const { status, body } = await post("token", tokenForm(client, { scope }));
      expect([scope, status, body.scope]).toEqual([scope, 200, scope]);
    }
  });

  test("are granted all together", async () => {
    const { body } = await post("token", tokenForm(client, { scope: SPECIFIED_SCOPES.join(" ") }));
    expect(body.scope.split(" ").sort()).toEqual(SPECIFIED_SCOPES.toSorted());
  });
});

describe("operations", () => {
  test("need no token on public paths, and only there", () => {
    const open = ENDPOINTS.filter(({ declaration }) => declaration.scope === "public").map(({ path }) => path);
    expect([...new Set(open)].sort()).toEqual(Object.keys(PUBLIC_PATHS).sort());
  });

  test("below paths outside the scope list require the global scope", () => {
    const events = ENDPOINTS.filter(({ path }) => /^(app\/)?(published_events|subscriptions)/.test(path));
    expect(events.length).toBeGreaterThan(10);
    for (const { declaration } of events) expect(declaration.scope).toBe(GLOBAL_SCOPE);
  });

  test("only read reference data", () => {
    const writes = ENDPOINTS.filter(
      ({ path, method }) => REFERENCE_DATA.includes(path.split("/")[0] ?? "") && method !== "GET",
    );
    expect(writes).toEqual([]);
  });

  test("have unique names", () => {
    // Paths below `app` repeat the same operations.
    const names = ENDPOINTS.filter(({ path }) => !path.startsWith("app/")).map(({ declaration }) => declaration.name);
    expect(names.filter((name, index) => names.indexOf(name) < index)).toEqual([]);
  });

  test("require the same scope for HEAD as for GET", async () => {
    const head = async (scope: string) => (await call("HEAD", "patients/", { token: await tokenWith(scope) })).status;
    expect(await head("system/patients.read")).toBe(200);
    expect(await head("system/patients.write")).toBe(403);
  });
});
