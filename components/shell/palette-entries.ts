import { mainPages } from "./main-pages";
import type { User } from "./user-menu";

/** An entry of the palette that opens a page. */
export interface PaletteLink {
  label: string;
  path: string;
}

/** Returns links to the pages that a role can open, and to the user's practices. */
export function pageLinks(
  base: string,
  role: User["role"],
  practices: readonly { id: number; name: string }[],
): PaletteLink[] {
  return [
    ...mainPages(role).map(({ label, path }) => ({ label, path: base + path })),
    ...(role === "admin" ? adminPages(base) : []),
    ...practices.map(({ id, name }) => ({ label: `Practice: ${name}`, path: `/practices/${id}` })),
  ];
}

const adminPages = (base: string): PaletteLink[] => [
  { label: "Settings: members", path: `${base}/settings/members` },
  { label: "Settings: audit", path: `${base}/settings/audit` },
];

/** Returns links to the pages where a role can act, given the current page. */
export function actionLinks(base: string, role: User["role"], pathname: string): PaletteLink[] {
  if (role === "viewer") return [];
  const patient = new RegExp(`^${base}/patients/(\\d+)(/|$)`).exec(pathname)?.[1];
  const addPolicy = { label: "Add policy", path: `${base}/patients/${patient}/policies/new` };
  return [...(patient ? [addPolicy] : []), ...(role === "admin" ? adminActions(base) : [])];
}

const adminActions = (base: string): PaletteLink[] => [
  { label: "Retry failed events", path: `${base}/events?status=failed&open=retry` },
  { label: "Retry failed sync events", path: `${base}/stream?status=failed&open=retry` },
  { label: "Register API client", path: `${base}/settings/clients?open=new` },
  { label: "Add member", path: `${base}/settings/members?open=new` },
  { label: "Turn Insurance Versioning on or off", path: `${base}/settings` },
  { label: "Go to audit", path: `${base}/settings/audit` },
];
