// XML as tests read it: parsed by libxml2, queried by XPath.
import { XmlDocument, XmlElement } from "libxml2-wasm";

const NAMESPACES = {
  c: "urn:hl7-org:v3",
  sdtc: "urn:hl7-org:sdtc",
  xsi: "http://www.w3.org/2001/XMLSchema-instance",
};

/** A parsed document. Parsing throws unless it is well formed. */
export interface ParsedXml {
  document: XmlDocument;
  /** The value of an XPath expression as text; prefix `c` is CDA's. */
  text(expression: string): string;
  /** The texts of all nodes that an expression finds. */
  texts(expression: string): string[];
  count(expression: string): number;
  elements(): { name: string; parent: string; children: string[] }[];
}

export function parseXml(xml: Uint8Array | string): ParsedXml {
  const document = typeof xml === "string" ? XmlDocument.fromString(xml) : XmlDocument.fromBuffer(xml);
  const find = (expression: string) => document.find(expression, NAMESPACES);
  return {
    document,
    text: (expression) => String(document.eval(`string(${expression})`, NAMESPACES)),
    texts: (expression) => find(expression).map(({ content }) => content),
    count: (expression) => Number(document.eval(`count(${expression})`, NAMESPACES)),
    elements: () => find("//*").map((node) => describe(node as XmlElement)),
  };
}

const nameOf = ({ name, namespaceUri }: XmlElement) => (namespaceUri === NAMESPACES.sdtc ? `sdtc:${name}` : name);

function describe(element: XmlElement) {
  const children: string[] = [];
  for (let child = element.firstChild; child; child = child.next)
    if (child instanceof XmlElement) children.push(nameOf(child));
  const { parent } = element;
  return { name: nameOf(element), parent: parent instanceof XmlElement ? nameOf(parent) : "", children };
}
