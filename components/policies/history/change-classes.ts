/** How what went and what came stand out. */
export const REMOVED = "bg-bad-soft text-bad line-through decoration-1";
export const ADDED = "bg-good-soft text-good no-underline";
