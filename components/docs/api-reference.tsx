"use client";

import { useEffect, useRef, useState } from "react";
import { partOf } from "@/lib/api/openapi/part";
import type { OpenApiDocument } from "@/lib/api/openapi/schema";
import { DemoAccess } from "./demo-access";
import { referenceFailed, reference as text } from "./messages";
import { readNonce } from "./page-nonce";
import { withSnippets } from "./snippet-tabs";
import { completeViewer, pathsAsText } from "./viewer-access";

interface Viewer {
  (options: Record<string, unknown>): unknown;
  presets: { apis: unknown };
}

declare global {
  interface Window {
    SwaggerUIBundle?: Viewer;
  }
}

/** Copied from its package by the build (scripts/lib/build-steps.mjs). */
const VIEWER = "/viewer/swagger-ui-bundle.js";
const DESCRIPTION = "/api/2.0/openapi.json";
const CONTAINER_ID = "api-reference";
const TOKEN_TYPE = "Bearer";

interface Shown {
  groups: OpenApiDocument["tags"];
  open: string;
}

/**
 * Shows the API reference: Swagger UI over the API's own description. It shows one group at a time, because rendering all of
 * them takes seconds, and loads nothing from other servers.
 */
export function ApiReference({ group, offersDemo }: { group: string | null; offersDemo: boolean }) {
  const token = useRef<string | null>(null);
  const [shown, setShown] = useState<Shown | null>(null);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  useEffect(() => {
    let isUnmounted = false;
    const container = document.getElementById(CONTAINER_ID);
    const stopCompleting = container ? completeViewer(container) : null;
    Promise.all([fetchDescription(), loadViewer()])
      .then(([description]) => {
        if (isUnmounted) return;
        const groups = description.tags;
        const open = groups.find(({ name }) => name === (group ?? groupInHash()))?.name ?? groups[0]?.name ?? "";
        setShown({ groups, open });
        show(partOf(description, open), { token: () => token.current, onComplete: () => setState("shown") });
      })
      .catch(() => setState("failed"));
    return () => {
      isUnmounted = true;
      stopCompleting?.();
    };
  }, [group]);
  return (
    <>
      {shown && <Groups {...shown} />}
      {state === "loading" && (
        <p aria-busy="true" className="text-soft py-8">
          {text.loading}
        </p>
      )}
      {state === "failed" && (
        <p role="alert" className="py-8">
          {referenceFailed(
            <a className="text-accent underline" href={DESCRIPTION}>
              {DESCRIPTION}
            </a>,
          )}
        </p>
      )}
      {offersDemo && (
        <DemoAccess
          onToken={(demo) => {
            token.current = demo;
          }}
        />
      )}
      <div id={CONTAINER_ID} />
    </>
  );
}

function Groups({ groups, open }: Shown) {
  return (
    <nav aria-label={text.groups} className="mt-4">
      <ul className="flex flex-wrap gap-1">
        {groups.map(({ name }) => (
          <li key={name}>
            <a
              href={`/docs/reference?group=${encodeURIComponent(name)}`}
              aria-current={name === open ? "page" : undefined}
              className="text-soft hover:text-ink aria-[current]:bg-accent-soft aria-[current]:text-accent-strong inline-flex min-h-8 items-center rounded-md px-2 aria-[current]:font-medium"
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

/** Returns the group in a link to an operation, such as `#/Insurance/policies_create`. */
function groupInHash(): string {
  return decodeURIComponent(location.hash.split("/")[1] ?? "").replaceAll("_", " ");
}

async function fetchDescription(): Promise<OpenApiDocument> {
  const response = await fetch(DESCRIPTION);
  if (!response.ok) throw new Error(`${response.status}`);
  return response.json();
}

function loadViewer(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = VIEWER;
    script.nonce = readNonce(document);
    script.onload = () => resolve();
    script.onerror = reject;
    document.head.append(script);
  });
}

interface ShowOptions {
  /** Returns the token of requests that visitors have not authorized themselves. */
  token: () => string | null;
  onComplete: () => void;
}

function show(spec: OpenApiDocument, { token, onComplete }: ShowOptions): void {
  const viewer = window.SwaggerUIBundle;
  const authorize = (request: { headers: Record<string, string> }) => {
    const demo = token();
    if (demo !== null) request.headers.Authorization ??= `${TOKEN_TYPE} ${demo}`;
    return request;
  };
  viewer?.({
    // It would show the path of the server, which is only a slash.
    spec: { ...spec, servers: [{ url: location.origin }] },
    dom_id: `#${CONTAINER_ID}`,
    presets: [viewer.presets.apis],
    deepLinking: true,
    plugins: [pathsAsText, withSnippets(spec)],
    requestInterceptor: authorize,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 2,
    // It sets inline colors that do not follow the theme.
    syntaxHighlight: false,
    // The validator is a server on the internet.
    validatorUrl: null,
    onComplete,
  });
}
