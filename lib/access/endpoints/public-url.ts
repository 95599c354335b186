import { publicOrigin } from "@/lib/platform/config";

/**
 * Makes a request's URL at our public address on use, because that takes longer than most handlers, and few need it. The getter is a
 * class's: each literal with a getter has its own hidden class, which keeps the getter's closure, and with it the request, until the next
 * full garbage collection.
 */
export class WithUrl {
  readonly #request: Request;

  constructor(request: Request) {
    this.#request = request;
  }

  get url(): URL {
    const { url } = this.#request;
    return new URL(publicOrigin() + url.slice(url.indexOf("/", "https://".length)));
  }
}
