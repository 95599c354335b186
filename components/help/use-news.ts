"use client";

import { useSyncExternalStore } from "react";
import { lazyImport, useLazyImport } from "@/components/ui/lazy-with-retry";
import type { NewsItem } from "./messages/news";

/** Loads after the page, because every page has the help menu. */
const newsList = lazyImport(async () => (await import("./messages/news")).news);

const KEY = "crosswalk:news";
const listeners = new Set<() => void>();
/** The newest date whose entries the user has seen. */
let seen: string | null = null;

/** Returns whether there are entries in what's new that the user has not seen in this browser. */
export function useHasNews(isAdmin: boolean): boolean {
  const news = useLazyImport(newsList);
  const newest = newestDate(news ?? [], isAdmin);
  // The server can't know what the browser has seen. A dot that appears later is better than one that disappears.
  return useSyncExternalStore(
    subscribe,
    () => readSeen() < newest,
    () => false,
  );
}

/** Remembers that the user has seen all entries. */
export function markNewsSeen(news: readonly NewsItem[], isAdmin: boolean): void {
  seen = newestDate(news, isAdmin);
  try {
    window.localStorage.setItem(KEY, seen);
  } catch {
    // Storage is blocked. The dot returns in the next tab.
  }
  for (const listener of listeners) listener();
}

function newestDate(news: readonly NewsItem[], isAdmin: boolean): string {
  return news.find(({ isForAdmins }) => isAdmin || !isForAdmins)?.date ?? "";
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

function readSeen(): string {
  if (seen !== null) return seen;
  try {
    seen = window.localStorage.getItem(KEY) ?? "";
  } catch {
    seen = "";
  }
  return seen;
}
