"use client";

import { useFormContext } from "react-hook-form";
import { rankLabel } from "@/components/policies/fields";
import { Button } from "@/components/ui/button";
import { Notice } from "@/components/ui/notice";
import { RANK_WORDS } from "@/lib/insurance/fields/ranks";
import { compareEntries, type Difference, REFERENCE_OF } from "./legacy-differences";
import type { Entry, LegacyForm } from "./legacy-form-values";

interface ConflictProps {
  /** What somebody else saved meanwhile. */
  theirs: readonly Entry[];
  onAdd: (entry: Entry) => void;
  onRemove: (at: number) => void;
  onTakeAll: () => void;
  onClose: () => void;
}

/** What somebody else saved beside what was typed here: field by field, theirs or mine. */
export function LegacyConflict({ theirs, onAdd, onRemove, onTakeAll, onClose }: ConflictProps) {
  const { watch, setValue } = useFormContext<LegacyForm>();
  const mine = watch("insurances");
  const differences = compareEntries(theirs, mine);
  const take = ({ rank, field }: Difference) => {
    const at = mine.findIndex((entry) => entry.rank === rank);
    const their = theirs.find((entry) => entry.rank === rank);
    if (!their) return onRemove(at);
    if (field === null) return onAdd(their);
    for (const name of [field, REFERENCE_OF[field]]) {
      if (name) setValue(`insurances.${at}.${name}`, their[name], { shouldDirty: true });
    }
  };
  return (
    <div className="mb-4">
      <Notice tone="warning" live title="Somebody else saved these insurances meanwhile">
        {differences.length === 0 ? (
          <p>Theirs and yours are the same now.</p>
        ) : (
          <>
            <p>
              What you typed is kept. Here is where it differs from theirs; what you leave replaces theirs on saving.
            </p>
            <div className="mt-2 overflow-x-auto">
              <table className="w-full border-collapse text-left" aria-label="Theirs and mine">
                <thead className="max-sm:sr-only">
                  <tr className="text-soft text-sm">
                    <th className="py-1 pr-3 font-medium">Field</th>
                    <th className="py-1 pr-3 font-medium">Theirs</th>
                    <th className="py-1 pr-3 font-medium">Mine</th>
                    <th className="py-1">
                      <span className="sr-only">Choice</span>
                    </th>
                  </tr>
                </thead>
                <tbody>
                  {differences.map((difference) => (
                    <Row key={`${difference.rank} ${difference.field}`} difference={difference} onTake={take} />
                  ))}
                </tbody>
              </table>
            </div>
          </>
        )}
        <div className="mt-2 flex flex-wrap gap-2">
          <Button size="small" onClick={onClose}>
            Keep mine for the rest
          </Button>
          <Button size="small" onClick={onTakeAll}>
            Take all of theirs
          </Button>
        </div>
      </Notice>
    </div>
  );
}

function Row({ difference, onTake }: { difference: Difference; onTake: (difference: Difference) => void }) {
  const { rank, label, theirs, mine, field } = difference;
  const name = `${rankLabel(RANK_WORDS.indexOf(rank) + 1)}: ${field === null ? "insurance" : label}`;
  return (
    <tr className="border-warn/30 border-t align-baseline max-sm:grid max-sm:py-1">
      <th scope="row" className="py-1 pr-3 font-medium">
        {name}
      </th>
      <td className="py-1 pr-3 break-words">
        <span className="text-soft sm:hidden">Theirs: </span>
        {theirs || <span className="text-soft">empty</span>}
      </td>
      <td className="py-1 pr-3 break-words">
        <span className="text-soft sm:hidden">Mine: </span>
        {mine || <span className="text-soft">empty</span>}
      </td>
      <td className="py-1 sm:text-right">
        <Button size="small" aria-label={`Use theirs for ${name}`} onClick={() => onTake(difference)}>
          Use theirs
        </Button>
      </td>
    </tr>
  );
}
