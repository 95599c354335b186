"use client";

import { useState } from "react";
import { buttonClass } from "@/components/ui/button-class";
import { demoAccess as text } from "./messages";

/** Lets admins of the demo try requests with a token of a demo client. */
export function DemoAccess({ onToken }: { onToken: (token: string) => void }) {
  const [state, setState] = useState<"none" | "asked" | "given" | "failed">("none");
  const ask = async () => {
    setState("asked");
    const response = await fetch("/docs/demo-token", { method: "POST" });
    if (!response.ok) return setState("failed");
    onToken((await response.json()).access_token);
    setState("given");
  };
  return (
    <div className="border-line bg-raised mt-4 flex flex-wrap items-center gap-3 rounded-md border px-4 py-3">
      <p role="status" className="flex-1">
        {state === "given" ? text.given : state === "failed" ? text.failed : text.offer}
      </p>
      {state !== "given" && (
        <button type="button" className={buttonClass({})} disabled={state === "asked"} onClick={ask}>
          {text.ask}
        </button>
      )}
    </div>
  );
}
