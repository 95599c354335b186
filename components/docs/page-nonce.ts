/** Reads the nonce that the page's CSP requires of scripts. Browsers expose it as a property, not as an attribute. */
export function readNonce(document: Document): string {
  return document.querySelector<HTMLScriptElement>("script[nonce]")?.nonce ?? "";
}
