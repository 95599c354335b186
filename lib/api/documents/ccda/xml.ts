import { XMLBuilder } from "fast-xml-parser";
import type { Xml } from "./schema";

// biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are what XML 1.0 can't hold.
const UNWRITABLE = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Surrogate}/gu;

/** Replaces characters that XML can't hold (control characters and lone surrogates) by U+FFFD. */
function toXmlText(text: string): string {
  return text.replace(UNWRITABLE, "\ufffd");
}

const NAMESPACES = {
  "@xmlns": "urn:hl7-org:v3",
  "@xmlns:sdtc": "urn:hl7-org:sdtc",
  "@xmlns:xsi": "http://www.w3.org/2001/XMLSchema-instance",
};

const builder = new XMLBuilder({
  attributeNamePrefix: "@",
  textNodeName: "#",
  ignoreAttributes: false,
  suppressBooleanAttributes: false,
  suppressEmptyNode: true,
  format: true,
});

/** Serializes an element as an XML document in the CDA namespaces. */
export function serializeXml(name: string, root: Xml): string {
  const declaration = { "@version": "1.0", "@encoding": "UTF-8" };
  return builder.build({ "?xml": declaration, [name]: toXmlNode({ ...NAMESPACES, ...root }) });
}

function isList(value: Xml | readonly (Xml | string)[]): value is readonly (Xml | string)[] {
  return Array.isArray(value);
}

function toXmlNode(element: Xml): Xml {
  const kept = Object.entries(element).filter(([, value]) => value !== undefined);
  return Object.fromEntries(
    kept.map(([name, value]) => {
      if (typeof value === "number") return [name, String(value)];
      // XML parsers turn line breaks in attributes into spaces anyway.
      if (typeof value === "string") return [name, toXmlText(name.startsWith("@") ? value.replace(/\s/g, " ") : value)];
      const children = value === undefined ? [] : isList(value) ? value : [value];
      return [name, children.map((child) => (typeof child === "string" ? toXmlText(child) : toXmlNode(child)))];
    }),
  );
}
