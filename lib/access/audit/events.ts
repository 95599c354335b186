import type { FieldChanges, Origin } from "@/lib/access/identity/access";

/** Every security event that is audited, and what staff read of it (ADR 0110). */
export const SECURITY_EVENTS = {
  "sign_in.succeeded": "Signed in",
  "sign_in.failed": "Sign-in failed",
  "sign_in.throttled": "Sign-in throttled",
  "session.signed_out": "Signed out",
  "session.expired": "Session expired",
  "session.rejected": "Ended session used again",
  "token.issued": "Access token issued",
  "token.refused": "Access token refused",
  "token.throttled": "Token requests throttled",
  "token.revoked": "Access token revoked",
  "token.rejected": "Invalid access token used",
  "link.rejected": "Forged link used",
  "access.denied": "Access denied",
  "member.added": "Member added",
  "member.changed": "Member changed",
  "member.removed": "Member removed",
  "member.password_reset": "Member's password reset",
  "client.created": "API client created",
  "client.changed": "API client changed",
  "client.removed": "API client removed from practice",
  "secret.created": "Client secret created",
  "secret.revoked": "Client secret revoked",
  "setting.changed": "Setting changed",
  "data.exported": "Data exported",
} as const;
export type SecurityEventName = keyof typeof SECURITY_EVENTS;

/** An account or API client that a security event is about. */
export interface Subject {
  type: "staff" | "client";
  id: number;
  name: string;
}

export interface SecurityEvent {
  name: SecurityEventName;
  /** Who did it, from where. Its operation gives way to the event's name. */
  origin: Origin;
  /** Practices whose audit shows it, an entry in each one's chain; none: it goes into the installation's chain. */
  practices: readonly number[];
  /** Left out where the actor acted on nobody else. */
  about?: Subject;
  /** Why it was refused, or how it came about: a word such as `wrong_password`. */
  cause?: string;
  /** What was changed, without secrets. */
  changes?: FieldChanges;
  /** Further facts: ids, counts, words. Neither secrets nor patient data. */
  facts?: Readonly<Record<string, string | number | boolean | null>>;
}

/** A security event's own column of an audit entry. */
export interface SecurityDetail extends Pick<SecurityEvent, "about" | "cause" | "changes" | "facts"> {
  /** How many like it this entry stands for; left out: one. */
  count?: number;
  /** When the first and the last of them happened, ISO 8601. */
  first_date?: string;
  last_date?: string;
}

/** Whoever has not proved who they are. */
export const ANONYMOUS = { type: "anonymous", id: null, name: "Not signed in" } as const;
