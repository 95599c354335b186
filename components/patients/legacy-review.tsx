"use client";

import { useState } from "react";
import { fieldLabel, INSURANCE_FIELDS, rankLabel } from "@/components/policies/fields";
import type { Effect } from "@/components/policies/use-policy";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import { type Entry, entryName } from "./legacy-form-values";
import { legacyReview as text } from "./messages/legacy-saving";

interface LegacyReviewProps {
  /** The patient's name. */
  name: string;
  before: readonly Entry[];
  after: readonly Entry[];
  effects: readonly Effect[];
  busy: boolean;
  onClose: () => void;
  onSave: (reason: string) => void;
}

/** Shows what saving will do before it is done: which records end and which are added, and what happens to policies and cards. */
export function LegacyReview({ name, before, after, effects, busy, onClose, onSave }: LegacyReviewProps) {
  const [reason, setReason] = useState("");
  const archived = effects.filter(({ kind }) => kind === "archived").length;
  const created = effects.filter(({ kind }) => kind === "created");
  const images = created.reduce((sum, { card_images }) => sum + card_images, 0);
  return (
    <FormDialog
      wide
      onClose={onClose}
      {...describe(name, before.length, after.length)}
      cancelLabel={text.keepEditing}
      busy={busy}
      onSubmit={() => onSave(reason.trim())}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Records title={text.removed} entries={before} />
        <Records title={text.added} entries={after} replaced={before} />
      </div>
      <ul className="list-disc pl-5">
        <li>
          {text.archivedPolicies(archived)} {text.newPolicies(created.length)}
        </li>
        <li>{images === 0 ? text.noImages : text.images(images)}</li>
      </ul>
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}

/** Asks the question of the dialog, and answers it in the button. */
function describe(patient: string, before: number, after: number) {
  if (after === 0) {
    return {
      title: text.removeTitle(patient),
      description: text.removeHelp(before),
      submitLabel: text.remove,
      danger: true,
    };
  }
  if (before === 0)
    return { title: text.addTitle(patient), description: text.addHelp(after), submitLabel: text.add(after) };
  return {
    title: text.replaceTitle(patient),
    description: text.replaceHelp(before, after),
    submitLabel: text.replace,
    danger: true,
  };
}

interface RecordsProps {
  title: string;
  entries: readonly Entry[];
  /** The records whose changed fields are listed. */
  replaced?: readonly Entry[];
}

function Records({ title, entries, replaced = [] }: RecordsProps) {
  return (
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      <ul className="mt-1 flex flex-col gap-1">
        {entries.length === 0 && <li className="text-soft">{text.none}</li>}
        {entries.map((entry) => {
          const changed = changedFields(
            replaced.find(({ rank }) => rank === entry.rank),
            entry,
          );
          return (
            <li key={`${entry.rank} ${entry.id}`}>
              {rankLabel(RANK_WORDS.indexOf(entry.rank) + 1)} · {entryName(entry)}
              {entry.member_id && <span className="text-soft font-mono"> {entry.member_id}</span>}
              {changed.length > 0 && <span className="text-soft block text-sm">{text.changed(changed)}</span>}
            </li>
          );
        })}
      </ul>
    </section>
  );
}

/** Returns the labels of the fields that differ. A payer and its name have the same label. */
function changedFields(before: Entry | undefined, after: Entry): string[] {
  if (!before) return [];
  return [...new Set(INSURANCE_FIELDS.filter((field) => before[field] !== after[field]).map(fieldLabel))];
}
