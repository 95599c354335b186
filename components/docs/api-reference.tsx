"use client";

import { useEffect, useState } from "react";
import { partOf } from "@/lib/api/openapi/part";
import type { OpenApiDocument } from "@/lib/api/openapi/schema";
import { nonceOf } from "./page-nonce";

interface Viewer {
  (options: Record<string, unknown>): unknown;
  presets: { apis: unknown };
}

declare global {
  interface Window {
    SwaggerUIBundle?: Viewer;
  }
}

/** Copied from its package at build (scripts/lib/build-steps.mjs). */
const VIEWER = "/viewer/swagger-ui-bundle.js";
const DESCRIPTION = "/api/2.0/openapi.json";
const PLACE = "api-reference";

interface Shown {
  groups: OpenApiDocument["tags"];
  open: string;
}

/**
 * The reference: Swagger UI on the API's own description, one group of it at a time, for it takes seconds over the whole. It asks
 * nobody but this server for anything.
 */
export function ApiReference({ group }: { group: string | null }) {
  const [shown, setShown] = useState<Shown | null>(null);
  const [state, setState] = useState<"loading" | "shown" | "failed">("loading");
  useEffect(() => {
    let left = false;
    Promise.all([fetchDescription(), loadViewer()])
      .then(([description]) => {
        if (left) return;
        const groups = description.tags;
        const open = groups.find(({ name }) => name === (group ?? groupOfHash()))?.name ?? groups[0]?.name ?? "";
        setShown({ groups, open });
        show(partOf(description, open), () => setState("shown"));
      })
      .catch(() => setState("failed"));
    return () => {
      left = true;
    };
  }, [group]);
  return (
    <>
      {shown && <Groups {...shown} />}
      {state === "loading" && (
        <p aria-busy="true" className="text-soft py-8">
          The reference is loading.
        </p>
      )}
      {state === "failed" && (
        <p role="alert" className="py-8">
          The reference could not be loaded. The description itself is at{" "}
          <a className="text-accent underline" href={DESCRIPTION}>
            {DESCRIPTION}
          </a>
          .
        </p>
      )}
      <div id={PLACE} />
    </>
  );
}

function Groups({ groups, open }: Shown) {
  return (
    <nav aria-label="Groups" className="mt-4">
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

/** A link to an operation names its group: `#/Insurance/policies_create`. */
function groupOfHash(): string {
  return decodeURIComponent(location.hash.split("/")[1] ?? "").replaceAll("_", " ");
}

async function fetchDescription(): Promise<OpenApiDocument> {
  const answer = await fetch(DESCRIPTION);
  if (!answer.ok) throw new Error(`${answer.status}`);
  return answer.json();
}

function loadViewer(): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = VIEWER;
    script.nonce = nonceOf(document);
    script.onload = () => resolve();
    script.onerror = reject;
    document.head.append(script);
  });
}

function show(spec: OpenApiDocument, onComplete: () => void): void {
  const viewer = window.SwaggerUIBundle;
  viewer?.({
    spec,
    dom_id: `#${PLACE}`,
    presets: [viewer.presets.apis],
    deepLinking: true,
    docExpansion: "list",
    defaultModelsExpandDepth: -1,
    defaultModelExpandDepth: 2,
    // The viewer sets colors on every token. Remove them, so that the page's colors apply.
    syntaxHighlight: false,
    // Its own check of a description asks a server on the internet.
    validatorUrl: null,
    onComplete,
  });
}
