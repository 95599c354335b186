"use client";

import { Time } from "@/components/ui/time";
import type { ShownNote } from "@/lib/insurance/notes/queries";
import { cardNotes as text } from "./messages/card";

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
