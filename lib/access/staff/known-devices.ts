import { randomBytes } from "node:crypto";
import { sign, verifySignature } from "@/lib/platform/signing";

/** Names of the cookie that identifies a browser, for HTTPS and for plain HTTP. */
export const DEVICE_COOKIES = { secure: "__Host-crosswalk-device", plain: "crosswalk-device" } as const;

export const DEVICE_DAYS = 180;
/** Number of accounts that a cookie stores, for people who share a front desk. */
const MAX_ACCOUNTS = 8;
const DAY_MS = 86_400_000;

interface Entry {
  /** Day of the last sign-in, in days since 1970. */
  day: number;
  id: string;
  text: string;
}

/**
 * Returns the ID of a browser for an account, or null if the account has not signed in there within `DEVICE_DAYS`.
 *
 * @param cookie the value of the device cookie, with an entry for each account
 */
export function findDevice(cookie: string | null, account: number, now: Date): string | null {
  return findEntry(parseEntries(cookie, now), account)?.id ?? null;
}

/** Returns the value of the device cookie after an account has signed in. */
export function rememberDevice(cookie: string | null, account: number, now: Date): string {
  const entries = parseEntries(cookie, now);
  const known = findEntry(entries, account);
  const [day, id] = [dayOf(now), known?.id ?? randomBytes(12).toString("base64url")];
  const newEntry = [day.toString(36), id, signatureOf({ day, id }, account)].join(".");
  const others = entries.filter((entry) => entry !== known).map(({ text }) => text);
  return [newEntry, ...others].slice(0, MAX_ACCOUNTS).join(":");
}

const ENTRY = /^([0-9a-z]{1,6})\.([\w-]{16})\.[\w-]{43}$/;

/** Parses the entries that have not expired. An entry doesn't name its account: the signature shows it. */
function parseEntries(cookie: string | null, now: Date): Entry[] {
  const texts = (cookie ?? "").split(":", MAX_ACCOUNTS);
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
