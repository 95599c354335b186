/** Tells the progress bar that a navigation begins. Next calls this for links, for `router.push` and for Back. */
export function onRouterTransitionStart(url: string): void {
  window.dispatchEvent(new CustomEvent("crosswalk:navigation", { detail: url }));
}
