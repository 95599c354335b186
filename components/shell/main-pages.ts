import { ArrowLeftRight, House, type LucideIcon, Route, Settings, UsersRound, Webhook } from "lucide-react";

export interface MainPage {
  label: string;
  /** Relative to `/practices/{id}`. */
  path: string;
  icon: LucideIcon;
  /** The key that opens it, after `g`. */
  key: string;
}

/** The main pages. The navigation, the palette and the shortcuts link to them. */
export const MAIN_PAGES: readonly MainPage[] = [
  { label: "Home", path: "", icon: House, key: "h" },
  { label: "Patients", path: "/patients", icon: UsersRound, key: "p" },
  { label: "Events", path: "/events", icon: Webhook, key: "e" },
  { label: "Sync", path: "/stream", icon: ArrowLeftRight, key: "s" },
  { label: "Migration", path: "/migration", icon: Route, key: "m" },
  { label: "Settings", path: "/settings", icon: Settings, key: "," },
];
