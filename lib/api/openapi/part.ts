import type { Components, OpenApiDocument } from "./schema";

/**
 * The part of a description that one group of operations needs: its paths, and of the components what they come to refer to.
 * A viewer resolves the whole document before it shows a line: of one group it does so at once.
 */
export function partOf(document: OpenApiDocument, group: string): OpenApiDocument {
  const paths = Object.entries(document.paths).flatMap(([path, methods]) => {
    const own = Object.entries(methods).filter(([, { tags }]) => tags.includes(group));
    return own.length > 0 ? [[path, Object.fromEntries(own)] as const] : [];
  });
  const part = Object.fromEntries(paths);
  const sent = Object.entries(document.webhooks ?? {}).filter(([, { post }]) => post.tags.includes(group));
  const webhooks = sent.length > 0 ? { webhooks: Object.fromEntries(sent) } : {};
  const reached = reachable(document.components, { part, webhooks });
  const components = Object.fromEntries(
    Object.entries(document.components).map(([kind, all]) => [
      kind,
      kind === "securitySchemes"
        ? all
        : Object.fromEntries(Object.entries(all).filter(([name]) => reached.has(`#/components/${kind}/${name}`))),
    ]),
  ) as unknown as Components;
  const { webhooks: _all, ...rest } = document;
  return {
    ...rest,
    tags: document.tags.filter(({ name }) => name === group),
    paths: part,
    ...webhooks,
    components,
  };
}

/** Every reference that is reached from a value, through what it refers to. */
function reachable(components: Components, from: unknown): Set<string> {
  const found = new Set<string>();
  const open = [from];
  while (open.length > 0) {
    for (const [, reference = ""] of JSON.stringify(open.pop() ?? null).matchAll(/"\$ref":"([^"]+)"/g)) {
      if (found.has(reference)) continue;
      found.add(reference);
      const [kind = "", name = ""] = reference.replace("#/components/", "").split("/");
      open.push((components as unknown as Record<string, Record<string, unknown>>)[kind]?.[name]);
    }
  }
  return found;
}
