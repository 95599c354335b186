"use client";

import { type Control, useWatch } from "react-hook-form";
import { Button } from "@/components/ui/button";
import { ButtonLink } from "@/components/ui/button-link";
import { pluralize } from "@/components/ui/format";
import { LeaveGuard } from "@/components/ui/leave-guard";
import { differingUnits, type PolicyForm } from "./form-values";
import { describeOption } from "./rank-holder";
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
  const changed = hasCards ? [...labels, "Card images"] : labels;
  const count = pluralize(changed.length, isNew ? "field" : "change");
  const verb = isNew ? "Add" : "Save";
  return (
    <div className="border-line bg-ground screen-only sticky bottom-[calc(47px+env(safe-area-inset-bottom))] z-10 -mx-4 mt-2 flex flex-wrap items-center gap-x-4 gap-y-2 border-t px-4 py-3 min-[900px]:bottom-0">
      <p role="status" className="min-w-40 flex-1 truncate max-sm:basis-full" title={changed.join(", ")}>
        {changed.length === 0 ? (
          <span className="text-soft">{isNew ? "Nothing entered yet" : "No changes yet"}</span>
        ) : (
          <>
            <span className="font-medium">{count}</span>
            <span className="text-soft">: {changed.join(", ")}</span>
          </>
        )}
      </p>
      <div className="flex min-w-0 flex-wrap gap-2">
        <ButtonLink href={back}>Cancel</ButtonLink>
        <Button kind="primary" type="submit" busy={busy} disabled={!isNew && changed.length === 0} className="min-w-0">
          <span className="truncate">
            {rankChoice
              ? `${verb} ${describeOption(rankChoice.chosen, rankChoice.holder)}`
              : isNew
                ? "Add policy"
                : "Save changes"}
          </span>
        </Button>
      </div>
      <LeaveGuard unsaved={changed.length > 0} what={isNew ? "The new policy" : `${count} to this policy`} />
    </div>
  );
}
