import type { ReactNode } from "react";

export const docsFrame = {
  product: "Crosswalk",
  api: "API 2.0",
  navigation: "Documentation",
  guides: "Guides",
  reference: "Reference",
  document: "openapi.json",
  switchTheme: "Switch theme",
};

export const docsPage = {
  title: "API documentation",
  titles: "%s · Crosswalk API",
  lead: "A clinical practice API with versioned insurance policies, and guides for migrating to them from legacy insurance. You can copy and run the calls in the guides; the project's tests run every one of them.",
  openReference: "Open the reference",
  document: "OpenAPI 3.1 document",
  guides: "Guides",
  notFound: "Not found",
  breadcrumb: "Breadcrumb",
};

export const reference = {
  title: "Reference",
  groups: "Groups",
  loading: "Loading the reference…",
};

/** Labels of parts of the viewer that have none. */
export const viewer = {
  server: "Server",
  example: "Example",
  about: "About the API",
  connection: "Server and authorization",
};

/** Says that the reference couldn't be loaded, with a link to the document. */
export const referenceFailed = (link: ReactNode): ReactNode => (
  <>The reference couldn't be loaded. The OpenAPI document is at {link}.</>
);

export const codeBlock = {
  copy: "Copy code",
  copied: "Copied",
  languages: {
    sh: "Shell",
    http: "Response",
    output: "Output",
    ts: "TypeScript",
    python: "Python",
    json: "JSON",
    text: "",
  },
  table: "Table",
};

/** Points developers on the sign-in page to the documentation. */
export const developersNote = (link: (words: string) => ReactNode): ReactNode => (
  <>Developers: see the {link("API docs")}.</>
);
