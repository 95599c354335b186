"use client";

import { checkAge } from "@/components/eligibility/check-age";
import { useNow } from "@/components/ui/now";
import { Status } from "@/components/ui/status";
import { useZone } from "@/components/ui/time";
import { dayOf } from "@/components/ui/zone-time";
import type { LatestCheck } from "@/lib/insurance/eligibility/staff-queries";
import type { Policy } from "./fields";
import { termStatus as text } from "./messages/at-a-glance";
import { hasEnded } from "./term";

interface TermStatusProps {
  policy: Pick<Policy, "start_date" | "end_date">;
  eligibility: LatestCheck | null;
}

/** Says whether an active policy covers the patient today, by its effective and termination dates and the payer's last answer. */
export function TermStatus({ policy: { start_date, end_date }, eligibility }: TermStatusProps) {
  const now = useNow();
  const zone = useZone();
  const isDenied = eligibility?.status === "inactive" && !eligibility.outdated;
  if (!start_date && !end_date && !isDenied) return <Status kind="active">{text.active}</Status>;
  // The server does not know on which day the page will be read.
  if (now === null) return null;
  const today = dayOf(now, zone);
  if (hasEnded({ end_date }, today)) return <Status kind="warning">{text.ended}</Status>;
  if (start_date && start_date > today) return <Status kind="pending">{text.notYetEffective}</Status>;
  if (isDenied && checkAge(eligibility.checked_date, now) !== "old")
    return <Status kind="warning">{text.inactivePerPayer}</Status>;
  return <Status kind="active">{text.active}</Status>;
}
