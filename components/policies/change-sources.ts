const SOURCES: Record<string, string> = {
  policies_api: "policies API",
  legacy_api: "legacy patient API",
  staff: "staff pages",
  migration: "migration",
  api: "API",
  seed: "demo data",
};

/** Names the interface through which a change was made. */
export const sourceText = (source: string) => SOURCES[source] ?? source.replaceAll("_", " ");
