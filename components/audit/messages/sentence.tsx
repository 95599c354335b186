import { Fragment, type ReactNode } from "react";
import { capitalize, formatNumber } from "@/components/ui/format";
import { operationSentences } from "./operations";
import { resourceSentences, resourceWords } from "./resources";

/** The words for what an entry refers to. Links replace those that the reader can open. */
export const references = {
  patient: (id: number) => `patient ${id}`,
  policy: (id: number) => `policy ${id}`,
  run: (id: number, file?: string) => (file ? `run ${id} (${file})` : `run ${id}`),
  linkHolder: "Someone with a signed link",
  anonymous: "Someone",
  unknown: {
    client: "an unknown API client",
    member: "an unknown account",
    patient: "a patient",
    policy: "a policy",
    run: "a migration run",
  },
  morePatients: (count: number) => `${formatNumber(count)} more`,
};

/** Counts the patients that a list leaves out. */
export const morePatients = (count: number) => `and ${formatNumber(count)} more`;

export type Placeholder = "who" | "patients" | "patient" | "policy" | "run" | "member" | "client";

const PLACEHOLDERS: readonly string[] = [
  "who",
  "patients",
  "patient",
  "policy",
  "run",
  "member",
  "client",
] satisfies Placeholder[];

/** Returns the sentence of an operation with its placeholders, or null if the tables don't have the operation. */
export function sentenceOf(operation: string): string | null {
  if (Object.hasOwn(operationSentences, operation)) return operationSentences[operation] ?? null;
  const at = operation.lastIndexOf(".");
  const [resource, verb] = [operation.slice(0, at), operation.slice(at + 1)];
  if (!Object.hasOwn(resourceWords, resource) || !Object.hasOwn(resourceSentences, verb)) return null;
  const [one = "", many = ""] = resourceWords[resource] ?? [];
  return resourceSentences[verb]?.replace("{one}", one).replace("{many}", many) ?? null;
}

/**
 * Returns the sentence about an entry.
 *
 * @param values what replaces the placeholders. Without patients, text in brackets is left out.
 */
export function entrySentence(operation: string, values: Record<Placeholder, ReactNode>): ReactNode {
  const sentence = sentenceOf(operation) ?? `{who} used ${operation}[ with {patients}]`;
  const text = sentence.replaceAll(/\[([^\]]*)\]/g, values.patients ? "$1" : "");
  const parts = text.split(/\{(\w+)\}/).map((part, at) => {
    if (at % 2 === 0 || !PLACEHOLDERS.includes(part)) return part;
    const value = values[part as Placeholder];
    return at === 1 && text.startsWith("{") && typeof value === "string" ? capitalize(value) : value;
  });
  return parts.map((part, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence keep their order.
    <Fragment key={at}>{part}</Fragment>
  ));
}

/** Joins the patients of an entry: `Ada Byron, Ben Ode and 3 more`. */
export function joinPatients(patients: readonly ReactNode[], more: ReactNode): ReactNode {
  const all = more ? [...patients, more] : patients;
  return all.map((patient, at) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the patients keep their order.
    <Fragment key={at}>
      {at > 0 && (at === all.length - 1 ? " and " : ", ")}
      {patient}
    </Fragment>
  ));
}
