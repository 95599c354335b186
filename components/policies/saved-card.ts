let saved: number | null = null;

/** Focuses a policy's card when the patient page shows it next. */
export function focusCardLater(policy: number): void {
  saved = policy;
}

/** Returns whether a policy's card gets the focus, once after each save. */
export function takeCardFocus(policy: number): boolean {
  if (saved !== policy) return false;
  saved = null;
  return true;
}
