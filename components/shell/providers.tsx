"use client";

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useState } from "react";
import { SignInAgain } from "@/components/session/sign-in-again";
import { CallError } from "@/components/session/staff-call";
import { ZoneProvider } from "@/components/ui/time";
import { ToastProvider } from "@/components/ui/toasts";

/** What pages stand on: data and its freshness, the URL as state, notices, the practice's time zone. */
export function Providers({ zone, email, children }: { zone: string; email: string; children: ReactNode }) {
  const [client] = useState(
    () => new QueryClient({ defaultOptions: { queries: { staleTime: 10_000, retry: mayPass } } }),
  );
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>
        <ZoneProvider zone={zone}>
          <ToastProvider>
            {children}
            <SignInAgain email={email} />
          </ToastProvider>
        </ZoneProvider>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}

/** A refusal stays one; a server that is busy or out of reach may answer the next time. */
function mayPass(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof CallError && (error.status === 0 || error.status >= 500);
}
