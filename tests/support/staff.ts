// Staff operations as a browser calls them: a session cookie, our own origin, the route table of the server.
import { randomUUID, scryptSync } from "node:crypto";
import { encode } from "next-auth/jwt";
import { staffRoutes } from "@/generated/staff-routes";
import { SESSION_COOKIES, sessionSecret } from "@/lib/access/staff/access";
import { createStaffUser, startSession } from "@/lib/access/staff/commands";
import type { StaffRole } from "@/lib/access/staff/roles";
import { db, sql } from "@/lib/platform/db/sql";
import { createRouteTable } from "@/lib/platform/http/route";
import type { ApiResponse } from "./api";

const match = createRouteTable(staffRoutes);
const ORIGIN = "http://localhost:3000";

/** The password of every user created here. */
export const PASSWORD = "a long enough password";

const SALT = Buffer.alloc(16);
/** A hash of that password that is cheap to check. */
export const CHEAP_HASH = [
  "scrypt",
  16,
  8,
  1,
  SALT.toString("base64url"),
  scryptSync(PASSWORD, SALT, 32, { N: 16, r: 8, p: 1 }).toString("base64url"),
].join("$");

export interface SignedIn {
  /** A Cookie header. */
  cookie: string;
  userId: number;
  sessionId: string;
  email: string;
}

/** Creates a user with this role in these practices and signs them in. Returns what their browser would hold. */
export async function signInAs(
  role: StaffRole,
  practices: number[],
  { canExport }: { canExport?: boolean } = {},
): Promise<SignedIn> {
  const email = `${role}-${randomUUID()}@example.org`;
  const userId = await createStaffUser({
    email,
    name: `Robin ${role}`,
    password: PASSWORD,
    role,
    practices,
    can_export: canExport,
  });
  const sessionId = await startSession(userId, { address: "127.0.0.1", userAgent: "tests" });
  if (sessionId === null) throw new Error("no session was started");
  return { cookie: await cookieOf(sessionId), userId, sessionId, email };
}

/** Returns the Cookie header of a session. */
export async function cookieOf(sessionId: string): Promise<string> {
  return `${SESSION_COOKIES.plain}=${await encode({ token: { sid: sessionId }, secret: sessionSecret() })}`;
}

export interface StaffCallOptions {
  /** A form is sent unchanged, anything else as JSON. */
  body?: unknown;
  headers?: Record<string, string>;
  /** Omits the version. */
  unversioned?: true;
}

/**
 * Sends a request to a path below `/api/staff/`, signed in by a cookie of `signInAs` (null: not signed in). It names our origin
 * unless the headers name another, and writes on any version unless they name one.
 */
export async function staffCallAs(
  who: SignedIn | string | null,
  method: string,
  path: string,
  { body, headers: given, unversioned }: StaffCallOptions = {},
): Promise<ApiResponse> {
  const url = new URL(path, `${ORIGIN}/api/staff/`);
  const headers = new Headers({ origin: ORIGIN, host: new URL(ORIGIN).host, ...given });
  if (method !== "GET" && !unversioned && !headers.has("if-match")) headers.set("if-match", "*");
  if (who) headers.set("cookie", typeof who === "string" ? who : who.cookie);
  const raw = body instanceof FormData || typeof body === "string" || body instanceof Uint8Array;
  if (body !== undefined && !raw && !headers.has("content-type")) headers.set("content-type", "application/json");
  const content = body === undefined ? {} : { body: (raw ? body : JSON.stringify(body)) as BodyInit };
  const found = match(url.pathname.slice("/api/staff".length));
  const handler = found?.module[method];
  if (!found || !handler) throw new Error(`no route for ${method} ${url.pathname}`);
  const request = new Request(url, { method, headers, ...content });
  const response = await handler(request, { params: Promise.resolve(found.params) });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isJson = bytes.length > 0 && response.headers.get("content-type")?.startsWith("application/json");
  return {
    status: response.status,
    headers: response.headers,
    body: isJson ? JSON.parse(new TextDecoder().decode(bytes)) : bytes,
  };
}

/** Updates a session's row, to backdate or end it. */
export async function changeSession(
  sessionId: string,
  change: { created_date?: string; seen_date?: string; ended_date?: string },
): Promise<void> {
  const { created_date = null, seen_date = null, ended_date = null } = change;
  await db.run(sql`
    UPDATE staff_session SET created_date = coalesce(${created_date}::timestamptz, created_date),
      seen_date = coalesce(${seen_date}::timestamptz, seen_date),
      ended_date = coalesce(${ended_date}::timestamptz, ended_date)
    WHERE id = ${sessionId}::uuid`);
}
