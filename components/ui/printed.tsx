"use client";

import { useEffect, useState } from "react";
import { Time } from "./time";

/** On paper, a page says when it was true, and of what where its title does not. */
export function Printed({ of }: { of?: string }) {
  const [now, setNow] = useState<string | null>(null);
  useEffect(() => {
    const note = () => setNow(new Date().toISOString());
    note();
    window.addEventListener("beforeprint", note);
    return () => window.removeEventListener("beforeprint", note);
  }, []);
  return (
    <span className="print-only">
      {now && (
        <>
          {of && `${of}. `}Printed {<Time value={now} exact />}
        </>
      )}
    </span>
  );
}
