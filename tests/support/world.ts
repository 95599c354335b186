// One record of each kind, the paths that lead to them, and a body that each endpoint takes.
import { apiRoutes } from "@/generated/api-routes";
import type { RouteHandler } from "@/lib/http/endpoint";
import { type Basics, call, MARIA, seedBasics, seedCompany, seedPatient, seedPlan, tokenFor } from "./api";
import { imageContent } from "./images";

export const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"] as const;
type Method = (typeof METHODS)[number];

export interface Endpoint {
  method: Method;
  /** As the folders name it: `patients/[id]`. */
  path: string;
  declaration: RouteHandler["declaration"];
}

/** Every method that a route file declares. */
export const ENDPOINTS: readonly Endpoint[] = apiRoutes
  .filter(({ path }) => path !== "[...path]")
  .flatMap(({ path, module }) =>
    METHODS.flatMap((method) => {
      const { declaration } = module[method] as unknown as Partial<RouteHandler>;
      return declaration ? [{ method, path, declaration }] : [];
    }),
  );

export interface World {
  basics: Basics;
  /** By the path's resource: the record that `[id]` names. */
  records: Readonly<Record<string, number>>;
  /** By path: a body that its writes take. */
  bodies: Readonly<Record<string, unknown>>;
  /** A path with the ids of these records; `absent` names the parameters that are to name nothing. */
  at: (path: string, absent?: readonly string[]) => string;
}

const ABSENT = "999999999";

/** The first segment that says what the path is about: some paths stand below `app` too. */
const resourceOf = (path: string) => path.replace(/^app\//, "").split("/")[0] as string;

/** Everything is of the practice without Insurance Versioning: cards by priority work there too. */
export async function seedWorld(): Promise<World> {
  const basics = await seedBasics();
  const { token, disabled, physicians } = basics;
  const patient = await seedPatient(disabled, physicians.disabled);
  const image = await imageContent(1);
  const policy = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  await call("POST", `patients/${patient}/policies/${policy.body.id}/card-images`, { token, body: { image } });
  const company = await seedCompany(disabled);
  const hook = { resource: "physicians", target: "https://hooks.example.org/a" };
  const subscription = await call("POST", "subscriptions", { token, body: hook });
  const colleague = await tokenFor({ organisationId: basics.organisation, practices: [disabled] });
  await call("PATCH", `physicians/${physicians.disabled}`, { token: colleague, body: { credentials: "DO" } });
  const events = await call("GET", "published_events", { token });
  const records: Record<string, number> = {
    patients: patient,
    practices: disabled,
    physicians: physicians.disabled,
    insurance_companies: company,
    insurance_plans: await seedPlan(disabled, company),
    subscriptions: subscription.body.id,
  };
  const event_id = events.body.results[0].event_id;
  const below: Record<string, number> = { policy_id: policy.body.id, version: 1, image_rank: 1, event_id };
  const report = { processed_date: "2026-11-21T10:00:00Z", error_content: null, status_code: 200 };
  const another = { resource: "patients", target: "https://hooks.example.org/b" };
  const person = { first_name: "Maria", last_name: "Lopez" };
  const demographics = { ...person, dob: "1980-05-17", sex: "Female" };
  const newPatient = { ...demographics, caregiver_practice: disabled, primary_physician: physicians.disabled };
  const block = { weekday: 1, start_time: "09:00", end_time: "10:00" };
  return {
    basics,
    records,
    bodies: {
      patients: newPatient,
      "patients/[id]": newPatient,
      "patients/[id]/insurance_cards": { rank: 1, side: 1, image },
      "patients/[id]/policies": { ...MARIA, rank: 2 },
      "patients/[id]/policies/reorder": [{ id: policy.body.id, rank: 2 }],
      "patients/[id]/policies/[policy_id]": { ...MARIA, member_id: "X" },
      "patients/[id]/policies/[policy_id]/card-images": { image },
      "physicians/[id]": { ...person, email: "a@example.org", npi: "1", license: "2", license_state: "MA" },
      "physicians/[id]/availabilities": { availabilities: [block] },
      "practices/[id]": { name: "Renamed", address_line1: "", address_line2: "" },
      insurance_companies: { practice: disabled, carrier: "Another" },
      "insurance_companies/[id]": { practice: disabled, carrier: "Another" },
      insurance_plans: { practice: disabled, insurance_company: company, name: "Another" },
      "insurance_plans/[id]": { practice: disabled, insurance_company: company, name: "Another" },
      subscriptions: another,
      "app/subscriptions": { ...another, target: "https://hooks.example.org/c" },
      "published_events/[event_id]": report,
      "app/published_events/[event_id]": report,
    },
    at: (path, absent = []) =>
      path.replaceAll(/\[([^\]]+)\]/g, (_, name) => {
        const own = name === "id" ? records[resourceOf(path)] : below[name];
        return absent.includes(name) || own === undefined ? ABSENT : String(own);
      }),
  };
}
