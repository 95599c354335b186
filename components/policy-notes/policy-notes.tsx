"use client";

import { useState } from "react";
import { Button } from "@/components/ui/button";
import { lazyWithRetry } from "@/components/ui/lazy-with-retry";
import { Section } from "@/components/ui/section";
import type { ShownNote } from "@/lib/insurance/notes/queries";
import type { PolicyRef } from "../policies/paths";
import { NoteText } from "./card-notes";
import { policyNotes as text } from "./messages/notes";
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
