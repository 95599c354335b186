"use client";

import { type Control, useWatch } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { differingUnits, type PolicyForm } from "./form-values";
import { saveBar as text } from "./messages/form";
import { takeRankLabel } from "./rank-holder";
import type { RankChoice } from "./use-rank-choice";

interface SaveBarProps {
  control: Control<PolicyForm>;
  /** The values the form started with or was last saved with. */
  start: PolicyForm;
  isNew: boolean;
  /** Whether card images of a new policy are chosen. */
  hasCards: boolean;
  rankChoice: RankChoice | null;
  busy: boolean;
  /** The page that Cancel opens. */
  back: string;
}

/** Shows what has changed in the form and saves it. Stays visible while the form scrolls. */
export function SaveBar({ control, start, isNew, hasCards, rankChoice, busy, back }: SaveBarProps) {
  const form: PolicyForm = { ...start, ...useWatch({ control }) };
  const labels = differingUnits(form, start).map(({ info }) => info.label);
  const changed = hasCards ? [...labels, text.cardImages] : labels;
  const count = isNew ? text.fields(changed.length) : text.changes(changed.length);
  return (
    <div
      data-bottom-bar
      className="border-line bg-ground screen-only sticky bottom-[calc(47px+env(safe-area-inset-bottom))] z-10 -mx-4 mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 border-t px-4 py-3 min-[900px]:bottom-0"
    >
      <p role="status" className="min-w-40 flex-1 truncate max-sm:basis-full" title={changed.join(", ")}>
        {changed.length === 0 ? (
          <span className="text-soft">{isNew ? text.nothingEntered : text.noChanges}</span>
        ) : (
          text.list(<span className="font-medium">{count}</span>, changed.join(", "))
        )}
      </p>
      <div className="flex min-w-0 flex-wrap gap-2">
        <ButtonLink href={back}>{text.cancel}</ButtonLink>
        <Button kind="primary" type="submit" busy={busy} disabled={!isNew && changed.length === 0} className="min-w-0">
          <span className="truncate">
            {rankChoice
              ? takeRankLabel(isNew ? "add" : "save", rankChoice.chosen, rankChoice.holder)
              : isNew
                ? text.add
                : text.save}
          </span>
        </Button>
      </div>
      <LeaveGuard unsaved={changed.length > 0} what={isNew ? text.newPolicy : text.changesToPolicy(changed.length)} />
    </div>
  );
}
