"use client";

export interface SignInError {
  /** An error code from next-auth or from us. */
  code: string;
  /** How long to wait before the next attempt, if the server says so. */
  waitSeconds: number | null;
}

interface Credentials {
  email: string;
  password: string;
  /** Empty unless the user has chosen one. */
  organization: string;
}

/** Signs in through next-auth. Returns null on success. */
export async function signIn(credentials: Credentials): Promise<SignInError | null> {
  try {
    const csrf = await fetch("/api/auth/csrf");
    if (csrf.status === 429) return { code: "busy", waitSeconds: null };
    const { csrfToken } = await csrf.json();
    const body = new URLSearchParams({ ...credentials, csrfToken, json: "true", callbackUrl: window.location.href });
    const response = await fetch("/api/auth/callback/credentials", { method: "POST", body });
    const { url } = await response.json();
    if (response.ok) return null;
    const error = url ? new URL(url, window.location.href).searchParams.get("error") : null;
    const waitSeconds = Number(response.headers.get("retry-after")) || null;
    return { code: error ?? (response.status === 429 ? "busy" : "refused"), waitSeconds };
  } catch {
    return { code: "offline", waitSeconds: null };
  }
}
