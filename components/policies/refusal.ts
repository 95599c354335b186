import { CallError } from "@/components/session/staff-call";

/** Why a write of a policy was refused, and what to do. */
export function refusal(error: Error | null, title: string): { title: string; why: string } | null {
  if (!error) return null;
  const isStale = error instanceof CallError && error.status === 412;
  return {
    title,
    why: isStale
      ? "Somebody changed this policy since you opened it. Close this, look at the policy as it is now, and try again."
      : error.message,
  };
}
