import { expect } from "vitest";

/** Waits until a condition is met. */
export const until = (condition: () => boolean | Promise<boolean>, timeout: number) =>
  expect.poll(condition, { timeout, interval: 100 }).toBe(true);
