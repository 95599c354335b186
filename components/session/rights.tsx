"use client";

import { createContext, useContext } from "react";
import type { StaffRole } from "@/lib/access/staff/roles";

/** The rights of the signed-in user. The server enforces them. */
export interface Rights {
  role: StaffRole;
  /** May download files. */
  canExport: boolean;
  /** Names of the practice's admins, shown on pages that need another role. Empty for an admin. */
  admins: readonly string[];
}

const RightsContext = createContext<Rights>({ role: "viewer", canExport: false, admins: [] });

/** Provides the rights of the signed-in user. */
export const RightsProvider = RightsContext.Provider;

/** Returns the rights of the signed-in user. */
export function useRights(): Rights {
  return useContext(RightsContext);
}
