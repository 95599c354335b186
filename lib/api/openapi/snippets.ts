import type { JsonSchema, MediaType, OpenApiDocument, Operation, Parameter, Reference } from "./schema";

/** The languages of snippets, in the order in which they are shown. */
export const SNIPPET_LANGUAGES = ["sh", "ts", "python"] as const;
export type SnippetLanguage = (typeof SNIPPET_LANGUAGES)[number];

const FORM = "application/x-www-form-urlencoded";

interface Place {
  path: string;
  /** In lower case, as in the document. */
  method: string;
  /** The address of the server. */
  origin: string;
}

/** A request that calls an operation with its example. */
interface ExampleRequest {
  method: string;
  url: string;
  needsToken: boolean;
  mediaType: string | undefined;
  body: unknown;
}

/**
 * Returns a program for each language that calls an operation with its example and prints the response. It takes the access token from the
 * variable TOKEN. The TypeScript and Python programs need no packages.
 *
 * @throws if the document has no such operation
 */
export function snippetsOf(document: OpenApiDocument, place: Place): Record<SnippetLanguage, string> {
  const request = exampleRequest(document, place);
  return { sh: toShell(request), ts: toTypeScript(request), python: toPython(request) };
}

function exampleRequest(document: OpenApiDocument, { path, method, origin }: Place): ExampleRequest {
  const operation = document.paths[path]?.[method];
  if (!operation) throw new Error(`The document has no ${method} ${path}.`);
  const parameters = operation.parameters.map((one) => resolveParameter(document, one));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const found = parameters.find((one) => one.in === "path" && one.name === name);
    return encodeURIComponent(sampleOf(found?.schema ?? {}, name));
  });
  const required = parameters.filter((one) => one.in === "query" && one.required);
  const query = new URLSearchParams(required.map(({ name, schema }) => [name, sampleOf(schema, name)]));
  const { mediaType, body } = exampleBody(document, operation);
  const url = `${origin}${filled}${required.length > 0 ? `?${query}` : ""}`;
  return { method: method.toUpperCase(), url, needsToken: operation.security.length > 0, mediaType, body };
}

function resolveParameter(document: OpenApiDocument, parameter: Parameter | Reference): Parameter {
  if (!("$ref" in parameter)) return parameter;
  const name = parameter.$ref.split("/").at(-1) ?? "";
  const found = document.components.parameters[name];
  if (!found) throw new Error(`The document has no parameter ${name}.`);
  return found;
}

/** Returns a value of a parameter: the smallest ID, the first of the allowed values, or the name in capitals to be replaced. */
export function sampleOf({ type, enum: words, minimum = 1 }: JsonSchema, name: string): string {
  if (words) return String(words[0]);
  return type === "integer" || type === "number" ? String(Math.max(minimum, 1)) : name.toUpperCase();
}

/** Returns the example of a body, as JSON if the operation reads JSON. */
function exampleBody(document: OpenApiDocument, { requestBody }: Operation) {
  const content: Record<string, MediaType> = requestBody?.content ?? {};
  const [mediaType] = Object.keys(content).toSorted((one, other) => Number(isJson(other)) - Number(isJson(one)));
  const [example] = Object.values(content[mediaType ?? ""]?.examples ?? {});
  const found =
    example && "$ref" in example ? document.components.examples[example.$ref.split("/").at(-1) ?? ""] : example;
  return { mediaType, body: found?.value };
}

const isJson = (mediaType: string) => mediaType === "application/json";

/** Returns the fields of a form, whose values are simple. */
const formFields = (body: unknown) => Object.entries(body ?? {}).map(([name, value]) => [name, String(value)] as const);

function toShell({ method, url, needsToken, mediaType, body }: ExampleRequest): string {
  const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
  const data =
    mediaType === FORM
      ? formFields(body).map(([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`)
      : mediaType
        ? [`-H ${quoted(`Content-Type: ${mediaType}`)}`, `-d ${quoted(JSON.stringify(body, null, 2))}`]
        : [];
  const parts = [
    `curl -X ${method} ${quoted(url)}`,
    ...(needsToken ? ['-H "Authorization: Bearer $TOKEN"'] : []),
    ...data,
  ];
  return parts.join(" \\\n  ");
}

function toTypeScript({ method, url, needsToken, mediaType, body }: ExampleRequest): string {
  const headers = [
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the snippet contains the template.
    ...(needsToken ? ["Authorization: `Bearer ${env.TOKEN}`"] : []),
    ...(mediaType && mediaType !== FORM ? [`"Content-Type": ${JSON.stringify(mediaType)}`] : []),
  ];
  const data = indented(JSON.stringify(mediaType === FORM ? Object.fromEntries(formFields(body)) : body, null, 2));
  return [
    ...(needsToken ? ['import { env } from "node:process";', ""] : []),
    `const response = await fetch(${JSON.stringify(url)}, {`,
    `  method: ${JSON.stringify(method)},`,
    ...(headers.length > 0 ? [`  headers: { ${headers.join(", ")} },`] : []),
    ...(mediaType ? [`  body: ${mediaType === FORM ? "new URLSearchParams" : "JSON.stringify"}(${data}),`] : []),
    "});",
    "console.log(response.status, await response.text());",
  ].join("\n");
}

function toPython({ method, url, needsToken, mediaType, body }: ExampleRequest): string {
  const headers = [
    ...(needsToken ? [`"Authorization": "Bearer " + os.environ["TOKEN"]`] : []),
    ...(mediaType ? [`"Content-Type": ${JSON.stringify(mediaType)}`] : []),
  ];
  const data = indented(toPythonLiteral(mediaType === FORM ? Object.fromEntries(formFields(body)) : body));
  const encoded = mediaType === FORM ? `urllib.parse.urlencode(${data})` : `json.dumps(${data})`;
  const modules = [
    ...(mediaType && mediaType !== FORM ? ["json"] : []),
    ...(needsToken ? ["os"] : []),
    ...(mediaType === FORM ? ["urllib.parse"] : []),
    "urllib.request",
  ];
  return [
    `import ${modules.join(", ")}`,
    "",
    "request = urllib.request.Request(",
    `    ${JSON.stringify(url)},`,
    `    method=${JSON.stringify(method)},`,
    ...(headers.length > 0 ? [`    headers={${headers.join(", ")}},`] : []),
    ...(mediaType ? [`    data=${encoded.replaceAll("\n", "\n  ")}.encode(),`] : []),
    ")",
    "with urllib.request.urlopen(request) as response:",
    "    print(response.status, response.read().decode())",
  ].join("\n");
}

const indented = (text: string | undefined) => (text ?? "").replaceAll("\n", "\n  ");

const PYTHON_NAMES: Readonly<Record<string, string>> = { true: "True", false: "False", null: "None" };

/** Writes JSON as Python, which has other names for three values. */
function toPythonLiteral(value: unknown): string {
  if (value === undefined) return "";
  // Each match is a string, which stays the same, or a name outside of strings.
  return JSON.stringify(value, null, 2).replaceAll(
    /"(?:[^"\\]|\\.)*"|\b(?:true|false|null)\b/g,
    (part) => PYTHON_NAMES[part] ?? part,
  );
}
