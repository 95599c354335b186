"use client";

import { createContext, useContext } from "react";

const ExportRight = createContext(false);

/** Provides whether the signed-in user may download files. The server enforces it. */
export const ExportRightProvider = ExportRight.Provider;

/** Returns whether the signed-in user may download files. */
export function useExportRight(): boolean {
  return useContext(ExportRight);
}
