import type { Service } from "../../service/service.js";

/** The embedded service as one of the contract alone: it knows no keys, and names no extensions. */
export function withoutExtensions({ handle }: Pick<Service, "handle">): Pick<Service, "handle"> {
  return {
    async handle(request, peer) {
      const { "idempotency-key": _key, ...known } = request.headers;
      const response = await handle({ ...request, headers: known }, peer);
      const { "calendar-extensions": _extensions, ...headers } = response.headers;
      return { ...response, headers };
    },
  };
}
