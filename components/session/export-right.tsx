"use client";

import { createContext, useContext } from "react";

const ExportRight = createContext(false);

/** Tells the page below whether the signed-in user may download files; the server decides. */
export const ExportRightProvider = ExportRight.Provider;

/** Whether the signed-in user may download files. */
export function useExportRight(): boolean {
  return useContext(ExportRight);
}
