"use client";

import { BProgress } from "@bprogress/core";
import { usePathname, useSearchParams } from "next/navigation";
import { useEffect } from "react";

BProgress.configure({ template: '<div class="bar"></div>' });

/** Most pages appear sooner than this. Without a delay, the bar would flicker. */
const DELAY_MS = 80;
const MOVE_MS = 150;

/** Shows a progress bar at the top of the window until the next page appears. `instrumentation-client.ts` announces each navigation. */
export function NavigationProgress() {
  const pathname = usePathname();
  const search = useSearchParams().toString();
  // The effect of the old page ends when the new one appears.
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const start = ({ detail }: CustomEventInit<string>) => {
      clearTimeout(timer);
      const target = new URL(detail ?? "", window.location.href);
      // A navigation to this page replaces a pending one.
      if (target.pathname === pathname && target.searchParams.toString() === search) return void BProgress.done();
      const isStill = window.matchMedia("(prefers-reduced-motion: reduce)").matches;
      BProgress.configure({ speed: isStill ? 0 : MOVE_MS });
      timer = setTimeout(() => BProgress.start(), DELAY_MS);
    };
    window.addEventListener("crosswalk:navigation", start);
    return () => {
      window.removeEventListener("crosswalk:navigation", start);
      clearTimeout(timer);
      BProgress.done();
    };
  }, [pathname, search]);
  return null;
}
