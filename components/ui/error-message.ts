/** Returns the message of a caught value. */
export function errorMessage(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
