"use client";

import { useEffect, useState } from "react";
import type { PolicyRef } from "../paths";
import { BLOCK_SIZE } from "./history-keys";
import { useVersions } from "./use-versions";

/** Prints the comparison and the list of all versions, after loading those that are not loaded yet. */
export function usePrintHistory(policy: PolicyRef, newest: number) {
  const [loadsAll, setLoadsAll] = useState(newest <= BLOCK_SIZE);
  const [isPreparing, setPreparing] = useState(false);
  const numbers = loadsAll ? Array.from({ length: newest }, (_, index) => newest - index) : [];
  const { versions } = useVersions(policy, newest, numbers);
  const isReady = versions.size >= newest;
  useEffect(() => {
    if (!isPreparing || !isReady) return;
    setPreparing(false);
    window.print();
  }, [isPreparing, isReady]);
  const print = () => {
    setLoadsAll(true);
    setPreparing(true);
  };
  return { printed: numbers.flatMap((number) => versions.get(number) ?? []), isPreparing, print };
}
