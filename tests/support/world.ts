// One record of each kind, the paths that lead to them, and a body that each endpoint takes.
import { apiRoutes } from "@/generated/api-routes";
import type { RouteHandler } from "@/lib/http/endpoint";
import { type Basics, call, MARIA, seedBasics, seedCompany, seedPatient, seedPlan } from "./api";
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

/** Everything is of the practice without Insurance Versioning: cards by priority work there too. */
export async function seedWorld(): Promise<World> {
  const basics = await seedBasics();
  const { token, disabled, physicians } = basics;
  const patient = await seedPatient(disabled, physicians.disabled);
  const image = await imageContent(1);
  const policy = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  await call("POST", `patients/${patient}/policies/${policy.body.id}/card-images`, { token, body: { image } });
  const company = await seedCompany(disabled);
  const records: Record<string, number> = {
    patients: patient,
    practices: disabled,
    physicians: physicians.disabled,
    insurance_companies: company,
    insurance_plans: await seedPlan(disabled, company),
  };
  const below: Record<string, number> = { policy_id: policy.body.id, version: 1, image_rank: 1 };
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
    },
    at: (path, absent = []) =>
      path.replaceAll(/\[([^\]]+)\]/g, (_, name) => {
        const own = name === "id" ? records[path.split("/")[0] as string] : below[name];
        return absent.includes(name) || own === undefined ? ABSENT : String(own);
      }),
  };
}
