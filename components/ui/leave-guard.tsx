"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";

const LEAVE = "crosswalk:leave";

/** Goes somewhere else, once whoever has unsaved changes agrees. For what navigates without a link. */
export function leaveTo(go: () => void): void {
  if (window.dispatchEvent(new CustomEvent(LEAVE, { cancelable: true, detail: go }))) go();
}

interface Traverse extends Event {
  navigationType: string;
  destination: { index: number };
}
interface Navigation extends EventTarget {
  currentEntry: { index: number } | null;
}

/**
 * While there is something unsaved, leaving the page asks first: by a link, by the palette and shortcuts, back and forward
 * (where the browser lets us), closing or reloading the tab (in the browser's own words).
 */
export function LeaveGuard({ unsaved, what }: { unsaved: boolean /** `Three changes` */; what: string }) {
  const router = useRouter();
  const [go, setGo] = useState<(() => void) | null>(null);
  const free = useRef(false);
  useEffect(() => {
    if (!unsaved) return;
    free.current = false;
    const ask = (event: Event, leave: () => void) => {
      if (free.current || !event.cancelable) return;
      event.preventDefault();
      setGo(() => leave);
    };
    const onUnload = (event: Event) => {
      if (!free.current) event.preventDefault();
    };
    const onLeave = (event: Event) => ask(event, (event as CustomEvent<() => void>).detail);
    const onClick = (event: MouseEvent) => {
      const path = pathOf(event);
      if (path) ask(event, () => router.push(path));
    };
    const onNavigate = (event: Event) => {
      const { navigationType, destination } = event as Traverse;
      const steps = destination.index - (navigation?.currentEntry?.index ?? 0);
      if (navigationType === "traverse" && steps !== 0) ask(event, () => window.history.go(steps));
    };
    const { navigation } = window as unknown as { navigation?: Navigation };
    window.addEventListener("beforeunload", onUnload);
    window.addEventListener(LEAVE, onLeave);
    window.addEventListener("click", onClick, true);
    navigation?.addEventListener("navigate", onNavigate);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      window.removeEventListener(LEAVE, onLeave);
      window.removeEventListener("click", onClick, true);
      navigation?.removeEventListener("navigate", onNavigate);
    };
  }, [unsaved, router]);
  return (
    <Dialog
      open={go !== null}
      onClose={() => setGo(null)}
      title="Leave without saving?"
      description={`${what} would be lost. This can't be undone.`}
      footer={
        <>
          <Button onClick={() => setGo(null)}>Stay here</Button>
          <Button
            kind="danger"
            onClick={() => {
              free.current = true;
              setGo(null);
              go?.();
            }}
          >
            Discard changes and leave
          </Button>
        </>
      }
    />
  );
}

/** Where a click on a link of ours leads in this tab; null for any other click. */
function pathOf(event: MouseEvent): string | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = (event.target as Element | null)?.closest?.("a[href]") as HTMLAnchorElement | null;
  if (!link || (link.target && link.target !== "_self") || link.hasAttribute("download")) return null;
  const url = new URL(link.href);
  const samePage = url.pathname === window.location.pathname && url.search === window.location.search;
  return url.origin === window.location.origin && !samePage ? url.pathname + url.search + url.hash : null;
}
