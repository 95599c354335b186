/** Classes of removed and added text. */
export const REMOVED = "bg-bad-soft text-bad line-through decoration-1";
export const ADDED = "bg-good-soft text-good no-underline";
