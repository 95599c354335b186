// The API as its clients see it: web Requests through the route table of the production server, on a real database.
import { gunzipSync } from "node:zlib";
import { apiRoutes } from "@/generated/api-routes";
import { createClient, issueToken, verifyClient } from "@/lib/access/clients/commands";
import { clock } from "@/lib/platform/clock";
import { db, json, sql } from "@/lib/platform/db/sql";
import { createRouteTable } from "@/lib/platform/http/route";

const match = createRouteTable(apiRoutes);
const BASE = "http://localhost:3000";

export interface CallOptions {
  token?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

export interface ApiResponse {
  status: number;
  headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into responses of every shape.
  body: any;
}

/**
 * Sends a request to a path below `/api/2.0/`, or to an absolute URL of the API. A body that is not a string is sent as
 * JSON.
 */
export async function call(method: string, path: string, options: CallOptions = {}): Promise<ApiResponse> {
  const url = new URL(path, `${BASE}/api/2.0/`);
  const headers = new Headers(options.headers);
  if (options.token) headers.set("authorization", `Bearer ${options.token}`);
  const { body } = options;
  const raw =
    body instanceof FormData ||
    body instanceof URLSearchParams ||
    typeof body === "string" ||
    body instanceof Uint8Array;
  const request = new Request(url, {
    method,
    headers,
    ...(body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as BodyInit }),
  });
  if (body !== undefined && !raw && !headers.has("content-type"))
    request.headers.set("content-type", "application/json");
  const found = match(url.pathname.slice("/api/2.0".length));
  const handler = found?.module[method];
  if (!found || !handler) throw new Error(`no route for ${method} ${url.pathname}`);
  const response = await handler(request, { params: Promise.resolve(found.params) });
  const sent = new Uint8Array(await response.arrayBuffer());
  // As fetch does across a network.
  const bytes = response.headers.get("content-encoding") === "gzip" ? new Uint8Array(gunzipSync(sent)) : sent;
  const isJson = bytes.length > 0 && response.headers.get("content-type")?.startsWith("application/json");
  const text = isJson ? new TextDecoder().decode(bytes) : "";
  return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : bytes };
}

/** An organization with two practices, and a client of another organization. */
export interface Basics {
  organization: number;
  enabled: number;
  disabled: number;
  foreign: number;
  physicians: { enabled: number; disabled: number; foreign: number };
  /** A token with full access to both practices. */
  token: string;
  /** A token of another organization. */
  stranger: string;
}

/** Creates two practices, one with Insurance Versioning and one without, and a third of another organization. */
export async function seedBasics(): Promise<Basics> {
  const organization = await insert(sql`INSERT INTO organization (name) VALUES ('Northside Health') RETURNING id`);
  const other = await insert(sql`INSERT INTO organization (name) VALUES ('Harbor Care') RETURNING id`);
  const enabled = await seedPractice(organization, "Northside Family Medicine", true);
  const disabled = await seedPractice(organization, "Northside Pediatrics", false);
  const foreign = await seedPractice(other, "Harbor Clinic", true);
  return {
    organization,
    enabled,
    disabled,
    foreign,
    physicians: {
      enabled: await seedPhysician(enabled),
      disabled: await seedPhysician(disabled),
      foreign: await seedPhysician(foreign),
    },
    token: await tokenFor({ organizationId: organization, practices: [enabled, disabled] }),
    stranger: await tokenFor({ organizationId: other, practices: [foreign] }),
  };
}

export async function seedPractice(organizationId: number, name: string, versioning: boolean): Promise<number> {
  return insert(sql`
    INSERT INTO practice (organization_id, name, insurance_versioning_enabled) VALUES (${organizationId}, ${name}, ${versioning})
    RETURNING id`);
}

export async function seedPhysician(practiceId: number): Promise<number> {
  return insert(sql`
    INSERT INTO physician (practice_id, first_name, last_name, email, npi, license, license_state)
    VALUES (${practiceId}, 'Ada', 'Reyes', 'ada.reyes@example.org', '1234567893', 'A100', 'MA') RETURNING id`);
}

export async function seedCompany(practiceId: number, carrier = "Acme Health"): Promise<number> {
  return insert(
    sql`INSERT INTO insurance_company (practice_id, carrier) VALUES (${practiceId}, ${carrier}) RETURNING id`,
  );
}

export async function seedPlan(practiceId: number, companyId: number, name = "Gold"): Promise<number> {
  return insert(sql`
    INSERT INTO insurance_plan (practice_id, insurance_company_id, name) VALUES (${practiceId}, ${companyId}, ${name})
    RETURNING id`);
}

/** Inserts a patient without insurances into the database. */
export async function seedPatient(practiceId: number, physicianId: number, name = "Maria Lopez"): Promise<number> {
  const [first, last] = name.split(" ");
  const now = clock.now();
  return insert(sql`
    INSERT INTO patient (practice_id, primary_physician_id, first_name, last_name, dob, sex, details, phones, created_date, last_modified)
    VALUES (${practiceId}, ${physicianId}, ${first}, ${last}, '1980-05-17', 'Female', ${json({})}, ${json([])}, ${now}, ${now})
    RETURNING id`);
}

/** The required fields of a policy for a patient of `seedPatient`. */
export const MARIA = { patient_first_name: "Maria", patient_last_name: "Lopez", patient_dob: "1980-05-17" };

/** Creates a client and a token for it, with the global scope by default. */
export async function tokenFor(options: {
  organizationId: number;
  practices: number[];
  scopes?: string[];
  lifetimeSeconds?: number;
}): Promise<string> {
  const client = await createClient({
    name: "Test client",
    organizationId: options.organizationId,
    practices: options.practices,
    scopedTokens: true,
  });
  const verified = await verifyClient(client.clientId, client.clientSecret);
  return issueToken({
    clientId: client.id,
    secretId: verified?.secretId ?? 0,
    scopes: options.scopes ?? ["apiv2"],
    lifetimeSeconds: options.lifetimeSeconds ?? 3600,
  });
}

async function insert(statement: ReturnType<typeof sql>): Promise<number> {
  const row = await db.first<{ id: number }>(statement);
  return (row as { id: number }).id;
}
