"use client";

import { Status } from "@/components/ui/status";
import type { LatestCheck } from "@/lib/insurance/eligibility/staff-queries";
import type { Policy } from "./fields";
import { termStatus as text } from "./messages/at-a-glance";
import { hasEnded, useToday } from "./term";

interface TermStatusProps {
  policy: Pick<Policy, "start_date" | "end_date">;
  eligibility: Pick<LatestCheck, "denied"> | null;
}

/** Says whether an active policy covers the patient today, by its effective and termination dates and the payer's last answer. */
export function TermStatus({ policy: { start_date, end_date }, eligibility }: TermStatusProps) {
  const today = useToday();
  if (hasEnded({ end_date }, today)) return <Status kind="warning">{text.ended}</Status>;
  if (start_date && start_date > today) return <Status kind="pending">{text.notYetEffective}</Status>;
  if (eligibility?.denied) return <Status kind="warning">{text.inactivePerPayer}</Status>;
  return <Status kind="active">{text.active}</Status>;
}
