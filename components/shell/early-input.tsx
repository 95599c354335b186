import { keepEarlyInput } from "./keep-early-input";

/** Starts keeping clicks and keys before any other script has loaded. `EarlyInputReady` repeats them. */
export function EarlyInput({ nonce }: { nonce: string | undefined }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the source of our own function, without outside input.
      dangerouslySetInnerHTML={{ __html: `(${keepEarlyInput.toString()})()` }}
    />
  );
}
