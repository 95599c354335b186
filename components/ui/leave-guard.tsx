"use client";

import { useRouter } from "next/navigation";
import { useEffect, useRef, useState } from "react";
import { Button } from "./button";
import { Dialog } from "./dialog";
import { leaveDialog as text } from "./messages/dialogs";

const LEAVE_EVENT = "crosswalk:leave";

/** Navigates without a link. If there are unsaved changes, asks first. */
export function leaveTo(go: () => void): void {
  if (window.dispatchEvent(new CustomEvent(LEAVE_EVENT, { cancelable: true, detail: go }))) go();
}

interface LeaveGuardProps {
  unsaved: boolean;
  /** What would be lost, as the start of a sentence: `Three changes`. */
  what: string;
}

/**
 * Asks before the user leaves the page with unsaved changes: by a link, the palette, a shortcut, or back and forward if the browser
 * supports it. The browser itself asks before it closes or reloads the tab.
 */
export function LeaveGuard({ unsaved, what }: LeaveGuardProps) {
  const router = useRouter();
  const [leave, setLeave] = useState<(() => void) | null>(null);
  const isConfirmed = useRef(false);
  useEffect(() => {
    if (!unsaved) return;
    isConfirmed.current = false;
    const ask = (event: Event, go: () => void) => {
      if (isConfirmed.current || !event.cancelable) return;
      event.preventDefault();
      setLeave(() => go);
    };
    const onUnload = (event: Event) => {
      if (!isConfirmed.current) event.preventDefault();
    };
    const onLeave = (event: CustomEventInit<() => void> & Event) => event.detail && ask(event, event.detail);
    const onClick = (event: MouseEvent) => {
      const path = clickedPath(event);
      if (path) ask(event, () => router.push(path));
    };
    // Not every browser has the Navigation API.
    const navigation: Navigation | undefined = window.navigation;
    const onNavigate = (event: NavigateEvent) => {
      const steps = event.destination.index - (navigation?.currentEntry?.index ?? 0);
      if (event.navigationType === "traverse" && steps !== 0) ask(event, () => window.history.go(steps));
    };
    window.addEventListener("beforeunload", onUnload);
    window.addEventListener(LEAVE_EVENT, onLeave);
    window.addEventListener("click", onClick, true);
    navigation?.addEventListener("navigate", onNavigate);
    return () => {
      window.removeEventListener("beforeunload", onUnload);
      window.removeEventListener(LEAVE_EVENT, onLeave);
      window.removeEventListener("click", onClick, true);
      navigation?.removeEventListener("navigate", onNavigate);
    };
  }, [unsaved, router]);
  return (
    <Dialog
      open={leave !== null}
      onClose={() => setLeave(null)}
      title={text.title}
      description={text.description(what)}
      footer={
        <>
          <Button onClick={() => setLeave(null)}>{text.stay}</Button>
          <Button
            kind="danger"
            onClick={() => {
              isConfirmed.current = true;
              setLeave(null);
              leave?.();
            }}
          >
            {text.leave}
          </Button>
        </>
      }
    />
  );
}

/** Returns the path that a click on an internal link opens in this tab; null for other clicks. */
function clickedPath(event: MouseEvent): string | null {
  if (event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href]") : null;
  if (!link || (link.target && link.target !== "_self") || link.hasAttribute("download")) return null;
  const url = new URL(link.href);
  const samePage = url.pathname === window.location.pathname && url.search === window.location.search;
  return url.origin === window.location.origin && !samePage ? url.pathname + url.search + url.hash : null;
}
