import type { z } from "zod";
import type { Origin } from "@/lib/access/identity/origin";
import type { BodyReader } from "@/lib/platform/http/body";
import type { IfMatch } from "@/lib/platform/http/conditional";
import type { RouteContext } from "@/lib/platform/http/route";
import type { Requester } from "@/lib/platform/jobs/task-queue";
import type { ResponseHeader } from "./responses";

export type Shape = z.ZodRawShape;
export type Parsed<S extends Shape> = z.output<z.ZodObject<S>>;
// biome-ignore lint/complexity/noBannedTypes: A Record would give the empty shape every key.
export type NoShape = {};

/** What an API description says about an endpoint beyond what follows from its declaration. */
export interface EndpointDocumentation {
  /** One line. Default: the endpoint's name in words. */
  summary?: string;
  /** What callers need to know, in Markdown. */
  description?: string;
  /** The section that lists the endpoint. Default: the group of its scope. */
  group?: string;
  /** Statuses of errors that don't follow from the declaration: 409, 410, 422. */
  refusals?: readonly number[];
  /** A write honors If-Match (412), a read If-None-Match (304). */
  conditional?: true;
  deprecated?: true;
  /** Body fields that sign a document. To send one, a client also needs the signing scope. */
  signs?: readonly string[];
  /** Response headers that don't follow from the declaration. */
  headers?: readonly ResponseHeader[];
  /** Media types of a response that is not JSON. `ANY_TYPE` for a file in the type it was uploaded with. */
  produces?: readonly string[];
}

/** Declares one method of one path. */
export interface Declaration<P extends Shape, Q extends Shape, B> extends EndpointDocumentation {
  /** `domain.verb`, as in the log and the API description. */
  name: string;
  params?: P;
  query?: Q;
  body?: BodyReader<B>;
  /** Schema of the response body, or of a dry run's result if only dry runs have a body. Omit it if there is no body. */
  response?: z.ZodType;
  /** The status of a successful response. */
  status: number;
  /** The response holds a secret that is shown once. A repeated Idempotency-Key gets 409 instead of a stored response. */
  oneTimeResponse?: true;
}

/** A parsed request. Handlers never see the Request itself. */
export interface Call<P, Q, B> {
  params: P;
  query: Q;
  body: B;
  url: URL;
  requestId: string;
  header: (name: string) => string | null;
  origin: Origin;
}

/** A parsed request of an authenticated caller. */
export interface AuthenticatedCall<A, P, Q, B> extends Call<P, Q, B> {
  access: A;
  ifMatch: IfMatch;
  /** Who waits for the response. */
  requester: Requester;
}

/** A route handler of Next and of our server, with the declaration it was made from. */
export type DeclaredHandler<D> = ((request: Request, context?: Partial<RouteContext>) => Promise<Response>) & {
  declaration: D;
};
