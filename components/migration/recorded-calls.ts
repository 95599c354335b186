/** A legacy write that a HAR file recorded. */
export interface RecordedCall {
  method: string;
  patient: number;
  body: Record<string, unknown>;
}

interface HarEntry {
  request?: { method?: string; url?: string; postData?: { text?: string } };
}

const PATIENT = /\/api\/2\.0\/patients\/(\d+)\/?(?:\?|$)/;

/**
 * The legacy writes of a HAR file: PUT and PATCH of patients with insurances.
 *
 * @throws Error in words, where the file is no HAR
 */
export function readRecordedCalls(text: string): RecordedCall[] {
  let har: { log?: { entries?: HarEntry[] } };
  try {
    har = JSON.parse(text);
  } catch {
    throw new Error("The file is not JSON: a HAR file is what a browser's or a proxy's network log exports.");
  }
  if (!Array.isArray(har.log?.entries)) throw new Error("The file holds no log of calls (log.entries).");
  return har.log.entries.flatMap(({ request = {} }): RecordedCall[] => {
    const { method = "", url = "", postData } = request;
    const patient = Number(PATIENT.exec(url)?.[1]);
    if (!["PUT", "PATCH"].includes(method) || !patient) return [];
    const body = parse(postData?.text ?? "");
    return body && "insurances" in body ? [{ method, patient, body }] : [];
  });
}

function parse(text: string): Record<string, unknown> | null {
  try {
    const value = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
