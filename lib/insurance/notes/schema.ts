import { z } from "zod";
import { countCharacters } from "@/lib/insurance/fields/limits";
import { MAX_NOTE_LENGTH } from "./limits";

export type NoteChangeKind = "added" | "edited" | "deleted";

/** Body of a note on staff pages. */
export const noteInput = z.strictObject({
  text: z
    .string()
    .trim()
    .min(1, "Enter a note.")
    .refine((text) => countCharacters(text) <= MAX_NOTE_LENGTH, `Must have at most ${MAX_NOTE_LENGTH} characters.`),
});
export type NoteInput = z.output<typeof noteInput>;
