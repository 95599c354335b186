"use client";

import { Moon, Sun } from "lucide-react";
import { useTheme } from "next-themes";
import { docsFrame } from "./messages";

/** Switches between the light and the dark theme. */
export function ThemeButton() {
  const { resolvedTheme, setTheme } = useTheme();
  return (
    <button
      type="button"
      aria-label={docsFrame.switchTheme}
      title={docsFrame.switchTheme}
      className="text-soft hover:text-ink grid size-8 place-items-center rounded-md"
      onClick={() => setTheme(resolvedTheme === "dark" ? "light" : "dark")}
    >
      <Sun aria-hidden className="size-4 dark:hidden" />
      <Moon aria-hidden className="hidden size-4 dark:block" />
    </button>
  );
}
