"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Section } from "@/components/ui/section";
import { Time } from "@/components/ui/time";
import type { ShownNote } from "@/lib/insurance/notes/queries";
import type { PolicyRef } from "../policies/paths";
import { policyNotes as text } from "./messages";
import type { NoteAction } from "./note-dialog";

const NoteDialog = lazyWithRetry(async () => (await import("./note-dialog")).NoteDialog);

interface PolicyNotesProps {
  policy: PolicyRef;
  notes: readonly ShownNote[];
  canWrite: boolean;
}

/** Shows the notes of a policy, and lets staff add, edit and delete them. */
export function PolicyNotes({ policy, notes, canWrite }: PolicyNotesProps) {
  const [action, setAction] = useState<NoteAction | null>(null);
  return (
    <Section
      compact
      title={text.title}
      actions={
        canWrite && (
          <Button size="small" onClick={() => setAction({ kind: "add" })}>
            {text.add}
          </Button>
        )
      }
    >
      {notes.length === 0 ? (
        <p className="text-soft">{text.none}</p>
      ) : (
        <ul className="border-line bg-raised divide-line divide-y rounded-md border">
          {notes.map((note) => (
            <li key={note.id} className="flex flex-wrap items-start justify-between gap-x-3 px-3 py-2">
              <div className="min-w-0 flex-1">
                <NoteText note={note} />
              </div>
              {canWrite && (
                <span className="screen-only flex gap-1">
                  <Button
                    size="small"
                    kind="quiet"
                    aria-label={text.editOf(note.text)}
                    onClick={() => setAction({ kind: "edit", note })}
                  >
                    {text.edit}
                  </Button>
                  <Button
                    size="small"
                    kind="quiet"
                    aria-label={text.deleteOf(note.text)}
                    onClick={() => setAction({ kind: "delete", note })}
                  >
                    {text.delete}
                  </Button>
                </span>
              )}
            </li>
          ))}
        </ul>
      )}
      {action && <NoteDialog policy={policy} action={action} onClose={() => setAction(null)} />}
    </Section>
  );
}

/** Shows a note, and who wrote it when. */
export function NoteText({ note }: { note: ShownNote }) {
  return (
    <>
      <p className="wrap-anywhere whitespace-pre-wrap">{note.text}</p>
      <p className="text-soft text-sm">
        {note.by} · <Time value={note.changed_date} />
      </p>
    </>
  );
}

/** A card shows this many notes. */
const SHOWN_ON_CARD = 2;

/** Shows the latest notes of a policy on its card. */
export function CardNotes({ notes }: { notes: readonly ShownNote[] }) {
  if (notes.length === 0) return null;
  const hidden = notes.length - SHOWN_ON_CARD;
  return (
    <section aria-label={text.title} className="border-line mt-2 flex flex-col gap-1 border-l-2 pl-2">
      {notes.slice(0, SHOWN_ON_CARD).map((note) => (
        <div key={note.id}>
          <NoteText note={note} />
        </div>
      ))}
      {hidden > 0 && <p className="text-soft text-sm">{text.more(hidden)}</p>}
    </section>
  );
}
