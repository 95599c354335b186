"use client";

/**
 * Ends the session in the browser and on the server, and opens the sign-in page.
 *
 * @throws if the session is still open
 */
export async function signOut(): Promise<void> {
  const { csrfToken } = await (await fetch("/api/auth/csrf")).json();
  const body = new URLSearchParams({ csrfToken, json: "true" });
  const { ok, status } = await fetch("/api/auth/signout", { method: "POST", body });
  if (!ok) throw new Error(`the session could not be ended (${status})`);
  window.location.assign("/sign-in");
}
