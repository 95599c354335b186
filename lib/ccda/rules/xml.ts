import type { Xml } from "../schema";

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are what XML 1.0 can't hold.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** A text as XML can hold it: control characters and halves of surrogate pairs become U+FFFD. */
function writable(text: string): string {
  return text.replace(UNWRITABLE, "\ufffd");
}

const NAMESPACES = {
  "@xmlns": "urn:hl7-org:v3",
  "@xmlns:sdtc": "urn:hl7-org:sdtc",
  "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
};

/** Writes an element and all that is below it as an XML document, in the namespaces of CDA. */
export function serialize(name: string, root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementOf(name, { ...NAMESPACES, ...root }, "")}`;
}

/** The elements of a name, each on a line of its own. A chart has hundreds of thousands: they are written in one pass. */
function elementOf(name: string, value: Xml[string], indent: string): string {
  if (value === undefined) return "";
  if (isList(value)) return value.map((one) => elementOf(name, one, indent)).join("");
  if (typeof value !== "object") return closed(`${indent}<${name}`, escaped(String(value)), name);
  let head = `${indent}<${name}`;
  let text = "";
  let children = "";
  for (const [key, child] of Object.entries(value)) {
    if (child === undefined) continue;
    if (key === "#") text = escaped(String(child));
    // Readers make spaces of an attribute's line breaks anyway.
    else if (key.startsWith("@")) head += ` ${key.slice(1)}="${escaped(String(child).replace(/\s/g, " "))}"`;
    else children += elementOf(key, child, `${indent}  `);
  }
  return children === "" ? closed(head, text, name) : `${head}>\n${text}${children}${indent}</${name}>\n`;
}

const isList = (value: Xml[string]): value is readonly (Xml | string)[] => Array.isArray(value);

const closed = (head: string, text: string, name: string) =>
  text === "" ? `${head}/>\n` : `${head}>${text}</${name}>\n`;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  "'": "&apos;",
  '"': "&quot;",
};

/** Printable ASCII without markup: almost every text. */
const PLAIN = /^[ !#-%(-;=?-~]*$/;

function escaped(text: string): string {
  if (PLAIN.test(text)) return text;
  return writable(text).replace(/[&<>'"]/g, (sign) => ENTITIES[sign] as string);
}
