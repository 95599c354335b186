"use client";

import { Trash2 } from "lucide-react";
import { useEffect, useState } from "react";
import { useFormContext } from "react-hook-form";
import { FIELD_GROUPS, type FieldInfo, rankLabel } from "@/components/policies/fields";
import { fieldGroups } from "@/components/policies/messages/fields";
import { Button } from "@/components/ui/button";
import { Select } from "@/components/ui/controls";
import { Disclosure } from "@/components/ui/disclosure";
import { RANK_WORDS, type RankWord } from "@/lib/insurance/fields/limits";
import { LegacyField } from "./legacy-field";
import { entryName, type LegacyFormValues } from "./legacy-form-values";
import { LegacyPayerFields } from "./legacy-payer-fields";
import { legacyEntry as text } from "./messages/legacy-form";
import { RankMark } from "./rank-mark";

interface LegacyEntryProps {
  practice: number;
  /** The index of the insurance in the form. */
  index: number;
  canWrite: boolean;
  onRemove: () => void;
  onRank: (rank: RankWord) => void;
}

/** Fields that have their own inputs. */
const OWN_INPUT: ReadonlySet<string> = new Set(["rank", "carrier", "plan"]);
/** Groups that are rarely needed. */
const COLLAPSED: ReadonlySet<string> = new Set([fieldGroups.subscriber, fieldGroups.claimsAddress]);

const COLLAPSED_GROUPS = FIELD_GROUPS.filter(({ title }) => COLLAPSED.has(title));
const VISIBLE_FIELDS = FIELD_GROUPS.filter(({ title }) => !COLLAPSED.has(title))
  .flatMap(({ fields }) => fields)
  .filter(({ name }) => !OWN_INPUT.has(name));

/** Shows one insurance in the form. */
export function LegacyEntry({ practice, index, canWrite, onRemove, onRank }: LegacyEntryProps) {
  const { watch, register } = useFormContext<LegacyFormValues>();
  const entry = watch(`insurances.${index}`);
  if (!entry) return null;
  const rank = RANK_WORDS.indexOf(entry.rank) + 1;
  const name = entryName(entry);
  return (
    <fieldset disabled={!canWrite} className="border-line bg-raised min-w-0 rounded-md border p-3">
      <legend className="sr-only">{text.title(rankLabel(rank))}</legend>
      <div className="mb-3 flex flex-wrap items-center gap-3">
        <RankMark rank={rank} />
        <p className="min-w-0 flex-1 basis-32 font-semibold">{name}</p>
        {canWrite && (
          <div className="screen-only flex items-end gap-2">
            <Select
              {...register(`insurances.${index}.rank`)}
              aria-label={text.rank(name)}
              className="border-edge bg-raised h-8 rounded-md border px-2.5"
              onChange={(event) => {
                const selected = RANK_WORDS.find((word) => word === event.target.value);
                if (selected) onRank(selected);
              }}
            >
              {RANK_WORDS.map((word, place) => (
                <option key={word} value={word}>
                  {rankLabel(place + 1)}
                </option>
              ))}
            </Select>
            <Button kind="danger" onClick={onRemove}>
              <Trash2 aria-hidden className="size-4" /> {text.remove}
            </Button>
          </div>
        )}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <LegacyPayerFields practice={practice} index={index} canWrite={canWrite} />
        {VISIBLE_FIELDS.map((info) => (
          <LegacyField key={info.name} index={index} info={info} />
        ))}
      </div>
      {COLLAPSED_GROUPS.map(({ title, fields }) => (
        <CollapsedGroup key={title} title={title} index={index} fields={fields} />
      ))}
    </fieldset>
  );
}

interface CollapsedGroupProps {
  title: string;
  index: number;
  fields: readonly FieldInfo[];
}

/** Shows a group of fields that is collapsed until the user opens it, or until a field in it is invalid. */
function CollapsedGroup({ title, index, fields }: CollapsedGroupProps) {
  const { watch, formState } = useFormContext<LegacyFormValues>();
  const entry: Partial<Record<string, unknown>> | undefined = watch(`insurances.${index}`);
  const errors: Partial<Record<string, unknown>> | undefined = formState.errors.insurances?.[index];
  const [isOpen, setOpen] = useState(false);
  const hasError = fields.some(({ name }) => errors?.[name]);
  useEffect(() => {
    if (hasError) setOpen(true);
  }, [hasError]);
  const filled = fields.filter(({ name }) => entry?.[name]).length;
  return (
    <Disclosure
      title={title}
      summary={filled === 0 ? text.notEntered : text.entered(filled)}
      isOpen={isOpen}
      onToggle={setOpen}
      className="border-line mt-3 border-t pt-1"
    >
      <div className="mt-2 grid gap-3 sm:grid-cols-2">
        {fields.map((info) => (
          <LegacyField key={info.name} index={index} info={info} />
        ))}
      </div>
    </Disclosure>
  );
}
