/** The nonce that scripts of this page run by; browsers hide it from all but scripts. */
export function nonceOf(document: Document): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}
