import { randomUUID } from "node:crypto";
import type { BenchData, Target } from "./seed-bench";

/** The jobs that are compared. Runs with many connections add `create`, those of scaling/ `patch`, and those with many rows the rest. */
export const JOBS = ["get", "list", "put", "token", "upload"] as const;
export type Job = (typeof JOBS)[number] | "create" | "patch" | "events" | "events-next" | "audit" | "staff-events";

export const JOB_TITLES: Record<Job, string> = {
  get: "GET policy",
  list: "list policies",
  put: "PUT policy",
  token: "token",
  upload: "card upload",
  create: "POST policy",
  patch: "PATCH patient",
  events: "list events",
  "events-next": "list events, next page",
  audit: "staff: audit page",
  "staff-events": "staff: events page",
};

/** The bound stores no images. */
export const BOUND_JOBS: readonly Job[] = ["get", "list", "put", "token"];

export interface JobRequest {
  method: "GET" | "PUT" | "POST" | "PATCH";
  path: string;
  headers: Record<string, string>;
  body?: string | Buffer;
}

const MARIA = { patient_first_name: "Maria", patient_last_name: "Lopez", patient_dob: "1980-05-17" };

/** Builds a request of a job for one of the targets, picked at random. */
export function buildRequest(
  job: Job,
  data: Pick<BenchData, "clientId" | "clientSecret" | "token" | "staff" | "eventsPage">,
  targets: readonly Target[],
  image: Buffer,
): JobRequest {
  const target = targets[Math.floor(Math.random() * targets.length)] as Target;
  const policies = `/api/2.0/patients/${target.patient}/policies`;
  const authorization = `Bearer ${data.token}`;
  const asJson = { authorization, "content-type": "application/json" };
  switch (job) {
    case "get":
      return { method: "GET", path: `${policies}/${target.policy}`, headers: { authorization } };
    case "list":
      return { method: "GET", path: policies, headers: { authorization } };
    case "put":
      return { method: "PUT", path: `${policies}/${target.policy}`, headers: asJson, body: policyBody({}) };
    case "create":
      return { method: "POST", path: policies, headers: asJson, body: policyBody({ rank: 1 }) };
    case "patch": {
      const phones = [{ phone: `617555${Math.floor(1000 + Math.random() * 9000)}`, phone_type: "Mobile" }];
      return {
        method: "PATCH",
        path: `/api/2.0/patients/${target.patient}`,
        headers: asJson,
        body: JSON.stringify({ phones }),
      };
    }
    case "events":
      return { method: "GET", path: "/api/2.0/published_events/?limit=50", headers: { authorization } };
    case "events-next":
      if (!data.eventsPage) throw new Error("no page of events");
      return { method: "GET", path: data.eventsPage, headers: { authorization } };
    case "audit":
      return staffRequest(data.staff, "audit");
    case "staff-events":
      return staffRequest(data.staff, "events?limit=50");
    case "token":
      return {
        method: "POST",
        path: "/api/2.0/oauth2/token",
        headers: { "content-type": "application/x-www-form-urlencoded" },
        body: `grant_type=client_credentials&client_id=${data.clientId}&client_secret=${data.clientSecret}`,
      };
    case "upload":
      return { method: "POST", path: `${policies}/${target.policy}/card-images`, ...multipart(authorization, image) };
  }
}

function staffRequest(staff: BenchData["staff"], path: string): JobRequest {
  if (!staff) throw new Error("no staff account");
  const { cookie, practice } = staff;
  return { method: "GET", path: `/api/staff/practices/${practice}/${path}`, headers: { cookie } };
}

/** Builds a request of a job for the bound. */
export function buildBoundRequest(
  job: Job,
  { clientId, clientSecret, token }: Pick<BenchData, "clientId" | "clientSecret" | "token">,
  targets: readonly Target[],
): JobRequest {
  const target = targets[Math.floor(Math.random() * targets.length)] as Target;
  const authorization = `Bearer ${token}`;
  const asJson = { authorization, "content-type": "application/json" };
  switch (job) {
    case "get":
      return { method: "GET", path: `/policies/${target.policy}`, headers: { authorization } };
    case "list":
      return { method: "GET", path: `/patients/${target.patient}/policies`, headers: { authorization } };
    case "put":
      return { method: "PUT", path: `/policies/${target.policy}`, headers: asJson, body: boundPolicyBody() };
    case "token": {
      const credentials = Buffer.from(`${clientId}:${clientSecret}`).toString("base64");
      const headers = { authorization: `Basic ${credentials}`, "content-type": "application/x-www-form-urlencoded" };
      return { method: "POST", path: "/oauth/token", headers, body: "grant_type=client_credentials" };
    }
    default:
      throw new Error(`the bound has no ${job}`);
  }
}

const randomFields = () => ({
  member_id: `M${Math.floor(Math.random() * 1e9)}`,
  copay: `${Math.floor(Math.random() * 1000)}.50`,
});

function boundPolicyBody(): string {
  const insured = { first_name: "Maria", last_name: "Lopez", relationship: "self", birth_date: "1980-05-17" };
  const plan = { carrier: "Acme Health", plan: "Gold PPO 500", group_id: "G1001", start_date: "2024-01-01" };
  return JSON.stringify({ ...plan, ...randomFields(), rank: 1, insured });
}

/** Builds a policy that differs from the previous one in a few fields, like most updates. */
function policyBody(fields: object): string {
  return JSON.stringify({ ...MARIA, ...randomFields(), plan: "Gold PPO 500", carrier: "Acme Health", ...fields });
}

function multipart(authorization: string, image: Buffer): Pick<JobRequest, "headers" | "body"> {
  const boundary = `bench-${randomUUID()}`;
  const rank = 1 + Math.floor(Math.random() * 2);
  const part = (disposition: string) => `--${boundary}\r\nContent-Disposition: form-data; ${disposition}`;
  const head = `${part('name="image_rank"')}\r\n\r\n${rank}\r\n${part('name="image"; filename="card.jpg"')}`;
  return {
    headers: { authorization, "content-type": `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([
      Buffer.from(`${head}\r\nContent-Type: image/jpeg\r\n\r\n`),
      image,
      Buffer.from(`\r\n--${boundary}--\r\n`),
    ]),
  };
}
