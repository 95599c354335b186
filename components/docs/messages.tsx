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

export const snippets = {
  title: "Code",
  languages: { sh: "curl", ts: "TypeScript", python: "Python" },
};

/** Offers visitors of an installation with the demo a token. */
export const demoAccess = {
  offer: "This installation has demo data. You can try requests with a token that is valid for one hour.",
  ask: "Use a demo token",
  given: "Your requests now use a demo token. Open an operation and press Try it out.",
  failed: "No demo token could be created. Try again later.",
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
