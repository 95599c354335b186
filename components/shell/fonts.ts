const FONTS = ['14px "Geist Variable"', '14px "Geist Mono Variable"'];
/** Leaves time to show what early input has opened. */
const DELAY_MS = 100;

/**
 * Shows the fonts from the start if this browser has loaded them before. Otherwise, `loadFonts` does so later, because on a slow network
 * they would delay the scripts.
 *
 * This function is inlined into the page and runs before React. It must not use anything outside its body.
 */
export function showKnownFonts(): void {
  try {
    if (window.localStorage.getItem("crosswalk:fonts") !== null) document.documentElement.dataset.fonts = "";
  } catch {
    // Storage is blocked.
  }
}

/** Shows the fonts, and remembers that this browser has them. `globals.css` uses them where `data-fonts` is set. */
export async function loadFonts(): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, DELAY_MS));
  document.documentElement.dataset.fonts = "";
  try {
    await Promise.all(FONTS.map((font) => document.fonts.load(font)));
    window.localStorage.setItem("crosswalk:fonts", "loaded");
  } catch {
    // The network failed or storage is blocked. The next page loads the fonts late again.
  }
}
