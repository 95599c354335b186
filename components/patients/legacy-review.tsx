"use client";

import { useState } from "react";
import { rankLabel } from "@/components/policies/fields";
import type { Effect } from "@/components/policies/use-policy";
import { ReasonField } from "@/components/ui/field";
import { FormDialog } from "@/components/ui/form-dialog";
import { pluralize } from "@/components/ui/format";
import { RANK_WORDS } from "@/lib/insurance/fields/limits";
import { type Entry, entryName } from "./legacy-form-values";

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
      title={`Replace all insurance records of ${name}?`}
      description={`Ends ${pluralize(before.length, "record")} and adds ${pluralize(after.length, "new record")}. Ended records are kept, but you can't undo this.`}
      submitLabel={
        after.length === 0 ? `End ${pluralize(before.length, "record")}` : `Save ${pluralize(after.length, "record")}`
      }
      cancelLabel="Keep editing"
      busy={busy}
      onSubmit={() => onSave(reason.trim())}
    >
      <div className="grid gap-4 sm:grid-cols-2">
        <Records title="Ended" entries={before} />
        <Records title="Added" entries={after} />
      </div>
      <ul className="list-disc pl-5">
        <li>
          {pluralize(archived, "policy", "policies")} {archived === 1 ? "is" : "are"} archived,{" "}
          {pluralize(created.length, "new policy", "new policies")} {created.length === 1 ? "is" : "are"} created.
        </li>
        <li>
          {images === 0
            ? "No card images are carried over."
            : `${pluralize(images, "card image")} ${images === 1 ? "is" : "are"} carried over to the new records.`}
        </li>
      </ul>
      <ReasonField value={reason} onChange={setReason} />
    </FormDialog>
  );
}

function Records({ title, entries }: { title: string; entries: readonly Entry[] }) {
  return (
    <section aria-label={title}>
      <h3 className="font-medium">{title}</h3>
      <ul className="mt-1 flex flex-col gap-1">
        {entries.length === 0 && <li className="text-soft">None</li>}
        {entries.map((entry) => (
          <li key={`${entry.rank} ${entry.id}`}>
            {rankLabel(RANK_WORDS.indexOf(entry.rank) + 1)} · {entryName(entry)}
            {entry.member_id && <span className="text-soft font-mono"> {entry.member_id}</span>}
          </li>
        ))}
      </ul>
    </section>
  );
}
