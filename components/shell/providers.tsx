"use client";

import { MutationCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { NuqsAdapter } from "nuqs/adapters/next/app";
import { type ReactNode, useLayoutEffect, useState } from "react";
import { ExportRightProvider } from "@/components/session/export-right";
import { SignInAgain } from "@/components/session/sign-in-again";
import { CallError, isUncertain, openPageFor } from "@/components/session/staff-call";
import { ZoneProvider } from "@/components/ui/time";
import { ToastProvider } from "@/components/ui/toasts";

interface ProvidersProps {
  zone: string;
  /** The signed-in user. */
  person: number | null;
  email: string;
  canExport: boolean;
  /** The OpenID provider's name, where the settings name one. */
  openId?: string | undefined;
  children: ReactNode;
}

/** What pages stand on: data and its freshness, the URL as state, notices, the practice's time zone. */
export function Providers({ zone, person, email, canExport, openId, children }: ProvidersProps) {
  const [client] = useState(newClient);
  // Before any call: those are made by effects that come later.
  useLayoutEffect(() => openPageFor(person), [person]);
  return (
    <QueryClientProvider client={client}>
      <NuqsAdapter>
        <ZoneProvider zone={zone}>
          <ExportRightProvider value={canExport}>
            <ToastProvider>
              {children}
              <SignInAgain email={email} openId={openId} />
            </ToastProvider>
          </ExportRightProvider>
        </ZoneProvider>
      </NuqsAdapter>
    </QueryClientProvider>
  );
}

function newClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: { queries: { staleTime: 10_000, retry: mayPass } },
    mutationCache: new MutationCache({
      // Who is told to look whether it was saved has to see what is there now.
      onError: (error) => {
        if (isUncertain(error)) void client.invalidateQueries();
      },
    }),
  });
  return client;
}

/** A refusal stays one; a server that is busy or out of reach may answer the next time. */
function mayPass(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof CallError && (error.status === 0 || error.status >= 500);
}
