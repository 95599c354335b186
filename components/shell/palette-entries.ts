import { mainPages } from "./main-pages";
import { paletteLinks as text } from "./messages/palette";
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
    { label: text.readiness, path: `${base}/migration/readiness` },
    ...(role === "admin" ? adminPages(base) : []),
    ...helpPages(base),
    ...practices.map(({ id, name }) => ({ label: text.practice(name), path: `/practices/${id}` })),
  ];
}

const helpPages = (base: string): PaletteLink[] => [
  { label: text.help, path: `${base}/help` },
  { label: text.glossary, path: `${base}/help/glossary` },
  { label: text.news, path: `${base}/help/news` },
];

const adminPages = (base: string): PaletteLink[] => [
  { label: text.members, path: `${base}/settings/members` },
  { label: text.audit, path: `${base}/settings/audit` },
];

/** Returns links to the pages where a role can act, given the current page. */
export function actionLinks(base: string, role: User["role"], pathname: string): PaletteLink[] {
  if (role === "viewer") return [];
  const patient = new RegExp(`^${base}/patients/(\\d+)(/|$)`).exec(pathname)?.[1];
  const addPolicy = { label: text.addPolicy, path: `${base}/patients/${patient}/policies/new` };
  const newRun = { label: text.newRun, path: `${base}/migration/new` };
  return [...(patient ? [addPolicy] : []), newRun, ...(role === "admin" ? adminActions(base) : [])];
}

const adminActions = (base: string): PaletteLink[] => [
  { label: text.retryEvents, path: `${base}/events?status=failed&open=retry` },
  { label: text.retrySync, path: `${base}/stream?status=failed&open=retry` },
  { label: text.registerClient, path: `${base}/settings/clients?open=new` },
  { label: text.addMember, path: `${base}/settings/members?open=new` },
  { label: text.versioning, path: `${base}/settings` },
];
