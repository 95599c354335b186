"use client";

import { useFormContext } from "react-hook-form";
import { rankLabel } from "@/components/policies/fields";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import { compareEntries, type Difference, REFERENCE_OF } from "./legacy-differences";
import type { Entry, LegacyFormValues } from "./legacy-form-values";
import { legacyConflict as text } from "./messages/legacy-saving";

interface LegacyConflictProps {
  /** What someone else has saved. */
  theirs: readonly Entry[];
  onAdd: (entry: Entry) => void;
  onRemove: (index: number) => void;
  onTakeAll: () => void;
  onClose: () => void;
}

/** Compares what someone else has saved with what the user typed, and lets the user copy their values field by field. */
export function LegacyConflict({ theirs, onAdd, onRemove, onTakeAll, onClose }: LegacyConflictProps) {
  const { watch, setValue } = useFormContext<LegacyFormValues>();
  const mine = watch("insurances");
  const differences = compareEntries(theirs, mine);
  const take = ({ rank, field }: Difference) => {
    const index = mine.findIndex((entry) => entry.rank === rank);
    const their = theirs.find((entry) => entry.rank === rank);
    if (!their) return onRemove(index);
    if (field === null) return onAdd(their);
    for (const name of [field, REFERENCE_OF[field]]) {
      if (name) setValue(`insurances.${index}.${name}`, their[name], { shouldDirty: true });
    }
  };
  return (
    <div className="mb-4">
      <Notice tone="warning" live title={text.title}>
        {differences.length === 0 ? (
          <p>{text.same}</p>
        ) : (
          <>
            <p>{text.help}</p>
            <div className="mt-2 overflow-x-auto">
              <table className="w-full border-collapse text-left" aria-label={text.table}>
                <thead className="max-sm:sr-only">
                  <tr className="text-soft text-sm">
                    <th className="py-1 pr-3 font-medium">{text.field}</th>
                    <th className="py-1 pr-3 font-medium">{text.theirs}</th>
                    <th className="py-1 pr-3 font-medium">{text.mine}</th>
                    <th className="py-1">
                      <span className="sr-only">{text.choice}</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {differences.map((difference) => (
                    <DifferenceRow
                      key={`${difference.rank} ${difference.field}`}
                      difference={difference}
                      onTake={take}
                    />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="small" onClick={onClose}>
            {text.keepMine}
          </Button>
          <Button size="small" onClick={onTakeAll}>
            {text.keepTheirs}
          </Button>
        </div>
      </Notice>
    </div>
  );
}

interface DifferenceRowProps {
  difference: Difference;
  onTake: (difference: Difference) => void;
}

function DifferenceRow({ difference, onTake }: DifferenceRowProps) {
  const { rank, label, theirs, mine, field } = difference;
  const rankName = rankLabel(RANK_WORDS.indexOf(rank) + 1);
  const name = field === null ? text.insuranceName(rankName) : text.fieldName(rankName, label);
  return (
    <tr className="border-warn/30 border-t align-baseline max-sm:grid max-sm:py-1">
      <th scope="row" className="py-1 pr-3 font-medium">
        {name}
      </th>
      <td className="py-1 pr-3 break-words">
        <span className="text-soft sm:hidden">{text.theirsLabel} </span>
        {theirs || <span className="text-soft">{text.empty}</span>}
      </td>
      <td className="py-1 pr-3 break-words">
        <span className="text-soft sm:hidden">{text.mineLabel} </span>
        {mine || <span className="text-soft">{text.empty}</span>}
      </td>
      <td className="py-1 sm:text-right">
        <Button size="small" aria-label={text.useTheirsFor(name)} onClick={() => onTake(difference)}>
          {text.useTheirs}
        </Button>
      </td>
    </tr>
  );
}
