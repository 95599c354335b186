"use client";

import { useEffect, useState } from "react";
import { page as text } from "./messages/page";
import { Time } from "./time";

/** Says on printed pages when the page was printed. `title` also says what it shows, if the page's heading does not. */
export function PrintTimestamp({ title }: { title?: string }) {
  const [now, setNow] = useState<string | null>(null);
  useEffect(() => {
    const update = () => setNow(new Date().toISOString());
    update();
    window.addEventListener("beforeprint", update);
    return () => window.removeEventListener("beforeprint", update);
  }, []);
  const time = now && <Time value={now} exact />;
  return <span className="print-only">{time && (title ? text.printedWith(title, time) : text.printed(time))}</span>;
}
