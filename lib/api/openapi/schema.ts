export type JsonType = "object" | "array" | "string" | "number" | "integer" | "boolean" | "null";

/** The part of JSON Schema (draft 2020-12, as in OpenAPI 3.1) that Zod's schemas use. */
export interface JsonSchema {
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  title?: string;
  description?: string;
  type?: JsonType | JsonType[];
  enum?: readonly unknown[];
  /** Names of the values for generators of clients, which take them from the values themselves otherwise. */
  "x-enum-varnames"?: readonly string[];
  const?: unknown;
  default?: unknown;
  deprecated?: boolean;
  readOnly?: boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
  not?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  contentEncoding?: string;
  contentMediaType?: string;
}

export interface Reference {
  $ref: string;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  /** A list is sent by repeating the parameter, not joined by commas. */
  style?: "form";
  explode?: boolean;
  schema: JsonSchema;
}

export interface MediaType {
  schema?: JsonSchema;
  examples?: Record<string, Reference | { summary?: string; value: unknown }>;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Reference>;
  content?: Record<string, MediaType>;
}

/** A method of a path (OpenAPI 3.1 §4.8.10). */
export interface Operation {
  operationId: string;
  summary: string;
  description?: string;
  tags: string[];
  deprecated?: boolean;
  security: Record<string, string[]>[];
  parameters: (Parameter | Reference)[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, ResponseObject | Reference>;
}

export interface Components {
  schemas: Record<string, JsonSchema>;
  parameters: Record<string, Parameter>;
  headers: Record<string, { description: string; schema: JsonSchema }>;
  responses: Record<string, ResponseObject>;
  examples: Record<string, { summary?: string; value: unknown }>;
  securitySchemes: Record<string, unknown>;
}

/** An OpenAPI document (OpenAPI 3.1 §4.8.1). */
export interface OpenApiDocument {
  openapi: string;
  info: Record<string, unknown>;
  servers: { url: string; description: string }[];
  tags: { name: string; description: string }[];
  paths: Record<string, Record<string, Operation>>;
  /** What subscribers receive, by resource. Absent from a part without webhooks. */
  webhooks?: Record<string, { post: Operation }>;
  components: Components;
}
