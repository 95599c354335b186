"use client";

/** Ends the session in the browser and on the server, and opens the sign-in page. */
export async function signOut(): Promise<void> {
  const { csrfToken } = await (await fetch("/api/auth/csrf")).json();
  await fetch("/api/auth/signout", { method: "POST", body: new URLSearchParams({ csrfToken, json: "true" }) });
  window.location.assign("/sign-in");
}
