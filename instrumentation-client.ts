/** Announces navigations to the progress bar. Next calls this when one begins, by a link, in code or with Back. */
export function onRouterTransitionStart(url: string): void {
  window.dispatchEvent(new CustomEvent("crosswalk:navigation", { detail: url }));
}
