import { ArrowLeftRight, House, type LucideIcon, Route, Settings, UsersRound, Webhook } from "lucide-react";

export interface Place {
  label: string;
  /** Below `/practices/{id}`. */
  path: string;
  icon: LucideIcon;
  /** After `g`. */
  key: string;
}

/** Where work is done; the rail, the palette and the shortcuts lead there. */
export const PLACES: readonly Place[] = [
  { label: "Home", path: "", icon: House, key: "h" },
  { label: "Patients", path: "/patients", icon: UsersRound, key: "p" },
  { label: "Events", path: "/events", icon: Webhook, key: "e" },
  { label: "Sync", path: "/stream", icon: ArrowLeftRight, key: "s" },
  { label: "Migration", path: "/migration", icon: Route, key: "m" },
  { label: "Settings", path: "/settings", icon: Settings, key: "," },
];
