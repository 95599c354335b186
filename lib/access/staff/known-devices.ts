import { randomBytes } from "node:crypto";
import { sign, verifySignature } from "@/lib/platform/signing";

/** Names of the cookie by which a browser is known again: with the prefix browsers keep for HTTPS, and without. */
export const DEVICE_COOKIES = { secure: "__Host-crosswalk-device", plain: "crosswalk-device" } as const;

export const DEVICE_DAYS = 180;
/** Accounts one browser is known for: the people who share a front desk. */
const MOST_ACCOUNTS = 8;
const DAY_MS = 86_400_000;

interface Entry {
  /** Day of the last sign-in, counted from 1970. */
  day: number;
  id: string;
  text: string;
}

/**
 * The id under which a browser is known for an account, by the account's id; null where this account has not signed in there within 180 days.
 *
 * @param cookie the cookie's value: an entry for each account, as `rememberDevice` writes it
 */
export function findDevice(cookie: string | null, account: number, now: Date): string | null {
  return findEntry(entriesOf(cookie, now), account)?.id ?? null;
}

/** The cookie's value once this account has signed in: its entry comes first and lives on from today. */
export function rememberDevice(cookie: string | null, account: number, now: Date): string {
  const entries = entriesOf(cookie, now);
  const known = findEntry(entries, account);
  const [day, id] = [dayOf(now), known?.id ?? randomBytes(12).toString("base64url")];
  const own = [day.toString(36), id, signatureOf({ day, id }, account)].join(".");
  const others = entries.filter((entry) => entry !== known).map(({ text }) => text);
  return [own, ...others].slice(0, MOST_ACCOUNTS).join(":");
}

const ENTRY = /^([0-9a-z]{1,6})\.([\w-]{16})\.[\w-]{43}$/;

/** Entries of the right form that are not too old. Whose they are, only their signature tells. */
function entriesOf(cookie: string | null, now: Date): Entry[] {
  const texts = (cookie ?? "").split(":", MOST_ACCOUNTS);
  return texts.flatMap((text) => {
    const [, day, id] = ENTRY.exec(text) ?? [];
    if (day === undefined || id === undefined) return [];
    const entry = { day: Number.parseInt(day, 36), id, text };
    return entry.day > dayOf(now) - DEVICE_DAYS ? [entry] : [];
  });
}

function findEntry(entries: readonly Entry[], account: number): Entry | undefined {
  return entries.find(({ day, id, text }) =>
    verifySignature("staff-device", textOf({ day, id }, account), text.split(".")[2] ?? ""),
  );
}

const textOf = ({ day, id }: Pick<Entry, "day" | "id">, account: number) => `${day} ${id} account ${account}`;
const signatureOf = (entry: Pick<Entry, "day" | "id">, account: number) => sign("staff-device", textOf(entry, account));
const dayOf = (now: Date) => Math.floor(now.getTime() / DAY_MS);
