import type { FieldChanges, Origin } from "@/lib/access/identity/access";

/** The security events, with the titles that staff see (ADR 0110). */
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
  "webhook_secret.created": "Webhook secret created",
  "webhook.tested": "Test event sent",
  "webhook.replayed": "Events replayed",
  "setting.changed": "Setting changed",
  "data.exported": "Data exported",
  // Added by the database, in the transaction of the removal.
  "audit.removed": "Old audit entries removed",
} as const;
export type SecurityEventName = keyof typeof SECURITY_EVENTS;

/** Security events for rejected attempts, such as a wrong password or a missing permission. */
export const REJECTIONS: ReadonlySet<string> = new Set([
  "sign_in.failed",
  "sign_in.throttled",
  "session.rejected",
  "token.refused",
  "token.throttled",
  "token.rejected",
  "link.rejected",
  "access.denied",
] satisfies SecurityEventName[]);

/** An account or API client that a security event is about. */
export interface Subject {
  type: "staff" | "client";
  id: number;
  name: string;
}

export interface SecurityEvent {
  name: SecurityEventName;
  /** Who caused it, and from where. The entry has the event's name as its operation. */
  origin: Origin;
  /** Practices whose chains get an entry. If empty, the chain of the installation gets it. */
  practices: readonly number[];
  /** Omitted if the actor only affected themselves. */
  about?: Subject;
  /** A code such as `wrong_password`. */
  cause?: string;
  /** Changed fields, without secrets. */
  changes?: FieldChanges;
  /** More facts, without secrets or patient data. */
  facts?: Readonly<Record<string, string | number | boolean | null>>;
}

/** The `detail` of a security event's audit entry. */
export interface SecurityDetail extends Pick<SecurityEvent, "about" | "cause" | "changes" | "facts"> {
  /** Number of equal events that the entry counts. Default: 1. */
  count?: number;
  /** Times of the first and the last of them, ISO 8601. */
  first_date?: string;
  last_date?: string;
}

/** The actor of requests without valid credentials. */
export const ANONYMOUS = { type: "anonymous", id: null, name: "Not signed in" } as const;
