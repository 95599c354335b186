// One record of each kind, the paths to them, and a body that each endpoint accepts.
import { apiRoutes } from "@/generated/api-routes";
import { resources } from "@/generated/resources";
import type { RouteHandler } from "@/lib/access/endpoints/endpoint";
import type { Resource } from "@/lib/records/engine/schema";
import {
  type Basics,
  call,
  MARIA,
  seedBasics,
  seedCompany,
  seedPatient,
  seedPhysician,
  seedPlan,
  tokenFor,
} from "./api";
import { imageContent } from "./images";
import { isServed, knownOf, minimalBody, type SampleOwner, seedSamples } from "./sample-records";

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

const DECLARED: ReadonlyMap<string, Resource> = new Map(
  resources.filter(({ path, operations }) => !path && operations.length > 0).map((one) => [one.name, one]),
);

export interface World {
  basics: Basics;
  /** By the path's resource: the record that `[id]` names. */
  records: Readonly<Record<string, number>>;
  /** By path: a body that its writes accept. */
  bodies: Readonly<Record<string, unknown>>;
  /** The owner of the records. */
  owner: SampleOwner;
  /** Values of body fields that their schema does not show, by name. */
  known: Readonly<Record<string, unknown>>;
  /** The same values for the bodies of one path. */
  knownAt: (path: string) => Readonly<Record<string, unknown>>;
  /** Parameters of paths besides `id`, by name, or by resource and name. */
  below: Readonly<Record<string, string>>;
  /** Replaces the record of a resource. */
  rename: (resource: string, id: number) => void;
  /** Returns a path with the IDs of these records; parameters in `absent` name no record. */
  at: (path: string, absent?: readonly string[]) => string;
}

const ABSENT = "999999999";

/** Returns the first segment that names a resource: some paths are repeated below `app`. */
const resourceOf = (path: string) => path.replace(/^app\//, "").split("/")[0] as string;

/** Seeds everything in the practice without Insurance Versioning, where cards by rank work as well. */
export async function seedWorld(): Promise<World> {
  const basics = await seedBasics();
  const { token, disabled, physicians } = basics;
  const patient = await seedPatient(disabled, physicians.disabled);
  const image = await imageContent(1);
  const policy = await call("POST", `patients/${patient}/policies`, { token, body: { ...MARIA, rank: 1 } });
  await call("POST", `patients/${patient}/policies/${policy.body.id}/card-images`, { token, body: { image } });
  await call("POST", `patient_insurances/${policy.body.patient_insurance}/eligibility`, { token, body: {} });
  const company = await seedCompany(disabled);
  const hook = { resource: "physicians", target: "https://hooks.example.org/a" };
  const subscription = await call("POST", "subscriptions", { token, body: hook });
  const colleague = await tokenFor({ organizationId: basics.organization, practices: [disabled] });
  await call("PATCH", `physicians/${physicians.disabled}`, { token: colleague, body: { credentials: "DO" } });
  const listener = await call("POST", "webhook_listeners", { token, body: { resources: ["physicians"] } });
  const events = await call("GET", "published_events", { token });
  const records: Record<string, number> = {
    patients: patient,
    patient_insurances: policy.body.patient_insurance,
    practices: disabled,
    physicians: physicians.disabled,
    insurance_companies: company,
    insurance_plans: await seedPlan(disabled, company),
    subscriptions: subscription.body.id,
  };
  const event_id = events.body.results[0].event_id;
  const owner = { practice: disabled, patient, physician: physicians.disabled, company };
  const samples = await seedSamples(owner);
  Object.assign(records, { ...samples.records, ...records });
  const { base64_content } = image;
  const file = { base64_content, content_type: "image/png", original_filename: "scan.png" };
  const filed = { ...minimalBody(DECLARED.get("reports") as Resource, "create", samples.known), files: [file] };
  const created = await call("POST", "reports", { token, body: filed });
  records.reports = created.body.id;
  const note = await call("POST", `reports/${records.reports}/internal_notes`, { token, body: { text: "Call back" } });
  const incoming = { group_name: "Fax", practice: disabled, images: [{ base64_content, content_type: "image/png" }] };
  const sent = { ...incoming, files: [{ base64_content, content_type: "image/png", filename: "a.png" }] };
  const group = await call("POST", "incoming_files", { token, body: sent });
  records.incoming_files = group.body.id;
  records.ccda = patient;
  const photo = { base_64: base64_content, original_filename: "a.png", patient, practice: disabled };
  await call("POST", `patients/${patient}/profile_image`, { token, body: photo });
  const comments = `patient-letters/${samples.records.patient_letters}/comments`;
  const comment = await call("POST", comments, { token, body: { author: samples.user, message: "Call back" } });
  records["patient-letters"] = comment.body.id;
  records["patient-provider-teams"] = patient;
  const staff = await call("GET", "office_staff", { token });
  const pharmacies = await call("GET", "pharmacies", { token });
  const below: Record<string, number | string> = {
    policy_id: policy.body.id,
    version: 1,
    image_rank: 1,
    event_id,
    note_id: note.body.id,
    patient_letters: samples.records.patient_letters as number,
    listener_id: listener.body.listener_id,
    image_id: group.body.images[0].id,
    staff_id: staff.body.results[0].id,
    ncpdpid: pharmacies.body.results[0].ncpdpid,
  };
  const fileOf: Record<string, number> = { reports: created.body.files[0].id, incoming_files: group.body.files[0].id };
  const report = { processed_date: "2026-11-21T10:00:00Z", error_content: null, status_code: 200 };
  const another = { resource: "patients", target: "https://hooks.example.org/b" };
  const person = { first_name: "Maria", last_name: "Lopez" };
  const demographics = { ...person, dob: "1980-05-17", sex: "Female" };
  const newPatient = { ...demographics, caregiver_practice: disabled, primary_physician: physicians.disabled };
  const user = { ...person, email: "maria.lopez@example.org", is_active: true, user_type: "staff", practice: disabled };
  const block = { weekday: 1, start_time: "09:00", end_time: "10:00" };
  const maria = { ...person, dob: "1980-05-17", caregiver_practice: disabled, primary_physician: physicians.disabled };
  const { dob: _dob, ...rosa } = { ...maria, first_name: "Rosa" };
  const person_of_policy = { ...MARIA, insurance_company: undefined, insurance_plan: undefined };
  const knownAt: Record<string, Record<string, unknown>> = {
    // Each body has another date of birth, because the practice accepts nobody twice.
    patients: { ...rosa, insurances: undefined, master_patient: undefined },
    "patients/[id]": { ...maria, insurances: undefined, master_patient: undefined },
    // A separate rank: one at rank 1 would archive the policy of the paths below.
    "patients/[id]/policies": { ...person_of_policy, rank: 2 },
    "patients/[id]/policies/[policy_id]": { ...person_of_policy, rank: 1 },
    "patients/[id]/policies/reorder": { id: policy.body.id, rank: 1 },
    "patients/[id]/insurance_cards": { rank: 1, side: 2 },
    "patients/[id]/incoming_files": { files: [group.body.files[0].id], document_tags: [] },
    "patient-provider-team-members": { physician_id: await seedPhysician(disabled) },
    "patient-provider-team-members/[id]": { physician_id: await seedPhysician(disabled) },
    "reports/[id]/delegates": { user: samples.user, group: undefined },
    insurance_plans: { insurance_company: company },
    "insurance_plans/[id]": { insurance_company: company },
    "patient-letters/[patient_letters]/comments": { author: samples.user },
    // The address of an account can't be changed.
    "users/[id]": { email: `staff-${disabled}@example.org` },
    subscriptions: { target: "https://hooks.example.org/d" },
    "app/subscriptions": { target: "https://hooks.example.org/e" },
    "physicians/[id]/availabilities": { service_location_id: undefined, appointment_types: undefined },
  };
  const declared = [...DECLARED.values()].filter(isServed);
  const bodyOf = (resource: Resource, view: "create" | "update") =>
    minimalBody(resource, view, {
      ...knownOf(resource, samples.known, records),
      ...knownAt[resource.name],
    });
  return {
    basics,
    records,
    owner,
    known: samples.known,
    below: Object.fromEntries([
      ...Object.entries(below).map(([name, value]) => [name, String(value)]),
      ...Object.entries(fileOf).map(([resource, id]) => [`${resource}_file_id`, String(id)]),
    ]),
    knownAt: (path) => knownAt[path] ?? {},
    rename: (resource, id) => {
      records[resource] = id;
    },
    bodies: {
      ...Object.fromEntries(declared.map((resource) => [resource.name, bodyOf(resource, "create")])),
      ...Object.fromEntries(declared.map((resource) => [`${resource.name}/[id]`, bodyOf(resource, "update")])),
      "patient_insurances/[id]/eligibility": { group_name: "Bay Family Practice", group_npi: "1234567893" },
      "patients/[id]/incoming_files": { files: [group.body.files[0].id], document_type: "Lab" },
      "patients/[id]/outstanding_balance": { balance: "12.50" },
      "patients/[id]/patient_provider_team": { patient_provider_team_id: patient },
      "patients/[id]/profile_image": photo,
      "reports/[id]/delegates": { user: samples.user },
      "reports/[id]/internal_notes": { text: "Call again" },
      "reports/[id]/internal_notes/[note_id]": { text: "Called" },
      "patient-letters/[patient_letters]/comments": { author: samples.user, message: "Call again" },
      patients: { ...newPatient, first_name: "Rosa" },
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
      users: user,
      "users/[id]": { ...user, email: undefined },
      "subscriptions/[id]/replay": { from: "2026-11-20T08:00:00Z", to: "2026-11-21T08:00:00Z" },
      "subscriptions/[id]/signing_secret": { keep_hours: 0 },
      webhook_listeners: { resources: ["patients", "appointments"] },
      "published_events/[event_id]": report,
      "app/published_events/[event_id]": report,
    },
    at: (path, absent = []) =>
      path.replaceAll(/\[([^\]]+)\]/g, (_, name) => {
        const whose = resourceOf(path);
        const own = name === "id" ? records[whose] : name === "file_id" ? fileOf[whose] : below[name];
        return absent.includes(name) || own === undefined ? ABSENT : String(own);
      }),
  };
}
