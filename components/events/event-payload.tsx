"use client";

import { useQuery } from "@tanstack/react-query";
import { Eye } from "lucide-react";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { payload as text } from "./messages/events";

/**
 * Shows the payload of the next attempt. It can contain patient data, so it is fetched on request, and each request is audited.
 */
export function EventPayload({ path }: { path: string }) {
  const [shown, setShown] = useState(false);
  const { data, error, isFetching } = useQuery({
    queryKey: [path, "payload"],
    queryFn: ({ signal }) => staffCall<{ payload: object | null }>(`${path}/payload`, { signal }),
    enabled: shown,
    staleTime: 0,
    gcTime: 0,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
  });
  if (!shown) {
    return (
      <div className="border-line bg-raised flex flex-wrap items-center justify-between gap-3 rounded-md border px-3 py-2">
        <p className="text-soft">{text.help}</p>
        <Button onClick={() => setShown(true)}>
          <Eye aria-hidden className="size-4" /> {text.show}
        </Button>
      </div>
    );
  }
  if (error) {
    return (
      <Notice tone="bad" live title={text.failed}>
        {error.message}
      </Notice>
    );
  }
  if (!data || isFetching) return <div className="bg-sunken h-40 animate-pulse rounded-md" />;
  if (!data.payload) {
    return (
      <Notice tone="warning" live title={text.none}>
        {text.noneHelp}
      </Notice>
    );
  }
  return (
    <section
      // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it.
      tabIndex={0}
      aria-label={text.label}
      className="border-line bg-raised max-h-[70vh] overflow-auto rounded-md border px-3 py-2"
    >
      <pre className="font-mono text-sm">{JSON.stringify(data.payload, null, 2)}</pre>
    </section>
  );
}
