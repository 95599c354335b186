import { viewer as text } from "./messages";

interface ViewerSystem {
  React: { createElement: (type: string, props: null, ...children: unknown[]) => unknown };
}

/**
 * A plugin of Swagger UI. It shows the path of an operation as text instead of as a link, because the link is inside the button that opens
 * the operation. Opening an operation still sets the hash of the page's address.
 */
export const pathsAsText = () => ({
  wrapComponents: {
    DeepLink:
      (_original: unknown, { React }: ViewerSystem) =>
      ({ text: path }: { text: unknown }) =>
        React.createElement("span", null, path),
  },
});

const SELECTS: readonly (readonly [selector: string, label: string])[] = [
  ["select#servers", text.server],
  ["select.examples-select-element", text.example],
];
const REGIONS: readonly (readonly [selector: string, label: string])[] = [
  [".information-container", text.about],
  [".scheme-container", text.connection],
];
const HEADINGS = ["h3", "h4", "h5", "h6"] as const;

/**
 * Adds what Swagger UI leaves out for screen readers: labels of selects, landmarks around its introduction, and levels of headings, which
 * skip the second one. Repeats this whenever the viewer renders something. Returns a function that stops.
 */
export function completeViewer(container: HTMLElement): () => void {
  const set = (selector: string, attributes: Record<string, string>) => {
    for (const element of container.querySelectorAll(selector))
      for (const [name, value] of Object.entries(attributes))
        if (element.getAttribute(name) !== value) element.setAttribute(name, value);
  };
  const complete = () => {
    for (const [selector, label] of SELECTS) set(selector, { "aria-label": label });
    for (const [selector, label] of REGIONS) set(selector, { role: "region", "aria-label": label });
    for (const [above, heading] of HEADINGS.entries()) set(heading, { "aria-level": String(above + 2) });
  };
  complete();
  // Once for each frame, because the viewer renders in many steps.
  let frame = 0;
  const observer = new MutationObserver(() => {
    cancelAnimationFrame(frame);
    frame = requestAnimationFrame(complete);
  });
  observer.observe(container, { childList: true, subtree: true });
  return () => {
    cancelAnimationFrame(frame);
    observer.disconnect();
  };
}
