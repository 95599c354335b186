import type { Components, OpenApiDocument } from "./schema";

/**
 * Returns the part of a document for one group of operations: its paths, its webhooks, and the components they refer to. A viewer
 * resolves the whole document before it shows anything, which takes too long for all groups.
 */
export function partOf(document: OpenApiDocument, group: string): OpenApiDocument {
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const inGroup = Object.entries(methods).filter(([, { tags }]) => tags.includes(group));
    return inGroup.length > 0 ? [[path, Object.fromEntries(inGroup)] as const] : [];
  });
  const part = Object.fromEntries(paths);
  const sent = Object.entries(document.webhooks ?? {}).filter(([, { post }]) => post.tags.includes(group));
  const webhooks = sent.length > 0 ? { webhooks: Object.fromEntries(sent) } : {};
  const reached = reachable(document.components, { part, webhooks });
  const used = <T>(kind: keyof Components, all: Record<string, T>): Record<string, T> =>
    Object.fromEntries(Object.entries(all).filter(([name]) => reached.has(`#/components/${kind}/${name}`)));
  const { schemas, parameters, headers, responses, examples, securitySchemes } = document.components;
  const components: Components = {
    schemas: used("schemas", schemas),
    parameters: used("parameters", parameters),
    headers: used("headers", headers),
    responses: used("responses", responses),
    examples: used("examples", examples),
    securitySchemes,
  };
  const { webhooks: _all, ...rest } = document;
  return {
    ...rest,
    tags: document.tags.filter(({ name }) => name === group),
    paths: part,
    ...webhooks,
    components,
  };
}

/** Returns every reference in a value, and those in the components it refers to. */
function reachable(components: Components, from: unknown): Set<string> {
  const targets = new Map<string, unknown>(
    Object.entries(components).flatMap(([kind, all]) =>
      Object.entries(all).map(([name, component]) => [`#/components/${kind}/${name}`, component]),
    ),
  );
  const found = new Set<string>();
  const open = [from];
  while (open.length > 0) {
    for (const [, reference = ""] of JSON.stringify(open.pop() ?? null).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (found.has(reference)) continue;
      found.add(reference);
      open.push(targets.get(reference));
    }
  }
  return found;
}
