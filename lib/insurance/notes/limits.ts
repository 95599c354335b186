// Limits of notes, also for the form.

/** Maximum number of characters of a note. */
export const MAX_NOTE_LENGTH = 2_000;
