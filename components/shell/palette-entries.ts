import { PLACES } from "./places";
import type { User } from "./user-menu";

/** A line of the palette that leads somewhere. */
export interface Way {
  label: string;
  path: string;
}

/** Pages by role, and the user's practices. */
export function pagesOf(base: string, role: User["role"], practices: readonly { id: number; name: string }[]): Way[] {
  return [
    ...PLACES.map(({ label, path }) => ({ label, path: base + path })),
    ...(role === "admin"
      ? [
          { label: "Settings: members", path: `${base}/settings/members` },
          { label: "Settings: API clients", path: `${base}/settings/clients` },
          { label: "Settings: audit", path: `${base}/settings/audit` },
        ]
      : []),
    ...practices.map(({ id, name }) => ({ label: `Practice: ${name}`, path: `/practices/${id}` })),
  ];
}

/** What can be done from here, by role and by the page one is on, where it is done on a page. */
export function waysToAct(base: string, role: User["role"], pathname: string): Way[] {
  const patient = new RegExp(`^${base}/patients/(\\d+)(/|$)`).exec(pathname)?.[1];
  const ofStaff: Way[] = [
    ...(patient ? [{ label: "Add policy", path: `${base}/patients/${patient}/policies/new` }] : []),
    { label: "Retry failed events", path: `${base}/events?status=failed&open=retry` },
    { label: "Retry failed sync events", path: `${base}/stream?status=failed&open=retry` },
  ];
  const ofAdmins: Way[] = [
    { label: "Register API client", path: `${base}/settings/clients?open=new` },
    { label: "Add member", path: `${base}/settings/members?open=new` },
    { label: "Turn Insurance Versioning on or off", path: `${base}/settings` },
    { label: "Go to audit", path: `${base}/settings/audit` },
  ];
  if (role === "viewer") return [];
  return role === "admin" ? [...ofStaff, ...ofAdmins] : ofStaff;
}
