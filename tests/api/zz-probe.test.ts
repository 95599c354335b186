import { test, vi } from "vitest";
import { log } from "@/lib/log";
import { call, seedBasics, seedCompany } from "@/tests/support/api";

test("probe", async () => {
  const b = await seedBasics();
  const company = await seedCompany(b.enabled);
  vi.spyOn(log, "error").mockImplementation(((o: unknown) => console.log("ERR", o)) as never);
  for (const [p, body] of [["insurance_plans/", { practice: b.enabled, insurance_company: company, name: "x" }], ["insurance_companies/", { practice: b.enabled, carrier: "x" }]] as const) {
    const a = await call("POST", p, { token: b.token, body, headers: { "idempotency-key": "k1" + p } });
    console.log(p, a.status, a.body);
  }
});
