import { changeSources } from "./messages/fields";

const SOURCES: Record<string, string> = changeSources;

/** Names the interface through which a change was made. */
export const sourceText = (source: string) => SOURCES[source] ?? source.replaceAll("_", " ");
