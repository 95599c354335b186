import { ArrowLeftRight, House, KeyRound, type LucideIcon, Route, Settings, UsersRound, Webhook } from "lucide-react";
import { includesRole, type StaffRole } from "@/lib/access/staff/roles";
import { mainPageNames } from "./messages/shell";

export interface MainPage {
  label: string;
  /** Relative to `/practices/{id}`. */
  path: string;
  icon: LucideIcon;
  /** The key that opens it, after `g`. */
  key: string;
  /** The minimum role that may open it. */
  role: StaffRole;
  /** Pages for developers are a group in the navigation. */
  isForDevelopers?: true;
}

/** The main pages. The navigation, the palette and the shortcuts link to those that the user's role may open. */
const MAIN_PAGES: readonly MainPage[] = [
  { label: mainPageNames.home, path: "", icon: House, key: "h", role: "viewer" },
  { label: mainPageNames.patients, path: "/patients", icon: UsersRound, key: "p", role: "viewer" },
  { label: mainPageNames.migration, path: "/migration", icon: Route, key: "m", role: "viewer" },
  { label: mainPageNames.events, path: "/events", icon: Webhook, key: "e", role: "admin", isForDevelopers: true },
  { label: mainPageNames.sync, path: "/stream", icon: ArrowLeftRight, key: "s", role: "admin", isForDevelopers: true },
  {
    label: mainPageNames.clients,
    path: "/settings/clients",
    icon: KeyRound,
    key: "a",
    role: "admin",
    isForDevelopers: true,
  },
  { label: mainPageNames.settings, path: "/settings", icon: Settings, key: ",", role: "admin" },
];

/** Lists the main pages that a role may open. */
export function mainPages(role: StaffRole): MainPage[] {
  return MAIN_PAGES.filter((page) => includesRole(role, page.role));
}

/** Returns the main page that a path belongs to: `/practices/1/settings/clients` is API clients, not Settings. Help has none. */
export function mainPageOf(base: string, pathname: string): MainPage | undefined {
  const [longest] = MAIN_PAGES.filter(({ path }) =>
    path === "" ? pathname === base : isWithin(pathname, base + path),
  ).sort((one, other) => other.path.length - one.path.length);
  return longest;
}

const isWithin = (pathname: string, path: string) => pathname === path || pathname.startsWith(`${path}/`);
