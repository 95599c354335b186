import { keepEarlyInput } from "./keep-early-input";

/** Listens before any other script has loaded: what is pressed until the page is ready is kept for `EarlyInputReady`. */
export function EarlyInput({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: our own function, without anything from outside.
      dangerouslySetInnerHTML={{ __html: `(${keepEarlyInput.toString()})()` }}
    />
  );
}
