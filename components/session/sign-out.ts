"use client";

/**
 * Ends the session in the browser and on the server, and opens the sign-in page.
 *
 * @throws if the session is still open
 */
export async function signOut(): Promise<void> {
  const { csrfToken } = await (await fetch("/api/auth/csrf")).json();
  const body = new URLSearchParams({ csrfToken, json: "true" });
  const { ok } = await fetch("/api/auth/signout", { method: "POST", body });
  if (!ok) throw new Error("sign-out failed");
  window.location.assign("/sign-in");
}
