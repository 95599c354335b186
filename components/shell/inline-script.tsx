/** Runs a function before any script has loaded. The function must not use anything outside its body. */
export function InlineScript({ nonce, run }: { nonce: string | undefined; run: () => void }) {
  return (
    <script
      nonce={nonce}
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: the source of our own function, without outside input.
      dangerouslySetInnerHTML={{ __html: `(${run.toString()})()` }}
    />
  );
}
