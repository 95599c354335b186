"use client";

import { MutationCache, QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { type ReactNode, useLayoutEffect, useState } from "react";
import { CallError, isUncertain } from "@/components/session/call-error";
import { type Rights, RightsProvider } from "@/components/session/rights";
import { SignInAgain } from "@/components/session/sign-in-again";
import { setPageUser } from "@/components/session/staff-call";
import { ZoneProvider } from "@/components/ui/time";
import { ToastProvider } from "@/components/ui/toasts";
import { NavigationProgress } from "./navigation-progress";

interface ProvidersProps {
  /** The practice's time zone. */
  zone: string;
  /** The day (`YYYY-MM-DD`) in the practice's time zone. */
  today: string;
  /** The signed-in user. */
  user: number | null;
  email: string;
  rights: Rights;
  /** The name of the OpenID provider, if one is configured. */
  openId?: string | undefined;
  children: ReactNode;
}

/**
 * Provides what every page of the staff side uses: data fetching, the time zone, rights, toasts and sign-in. Pages that keep state in
 * the URL add nuqs themselves, so that the others don't load it.
 */
export function Providers({ zone, today, user, email, rights, openId, children }: ProvidersProps) {
  const [client] = useState(newClient);
  // A layout effect, because the effects of the page may already make calls.
  useLayoutEffect(() => setPageUser(user), [user]);
  return (
    <QueryClientProvider client={client}>
      <ZoneProvider zone={zone} today={today}>
        <RightsProvider value={rights}>
          <ToastProvider>
            <NavigationProgress />
            {children}
            <SignInAgain email={email} openId={openId} />
          </ToastProvider>
        </RightsProvider>
      </ZoneProvider>
    </QueryClientProvider>
  );
}

function newClient(): QueryClient {
  const client: QueryClient = new QueryClient({
    defaultOptions: { queries: { staleTime: 10_000, retry: shouldRetry } },
    mutationCache: new MutationCache({
      // The message asks the user to check whether the change was saved, so the page must show the current state.
      onError: (error) => {
        if (isUncertain(error)) void client.invalidateQueries();
      },
    }),
  });
  return client;
}

/** Retries twice if the server is busy or out of reach. Other errors would only repeat. */
function shouldRetry(failures: number, error: Error): boolean {
  return failures < 2 && error instanceof CallError && (error.status === 0 || error.status >= 500);
}
