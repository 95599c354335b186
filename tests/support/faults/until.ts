import { expect } from "vitest";

/**
 * Waits until a condition is met.
 *
 * @param message what to say if it is not met in time
 */
export const until = (condition: () => boolean | Promise<boolean>, timeout: number, message = "") =>
  expect.poll(condition, { timeout, interval: 100, message }).toBe(true);
