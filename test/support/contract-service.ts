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

/** The embedded service as one that stores no events that repeat. */
export function withoutSeries({ handle }: Pick<Service, "handle">): Pick<Service, "handle"> {
  return {
    async handle(request, peer) {
      const response = await handle(request, peer);
      const extensions = String(response.headers["calendar-extensions"]).replace(/recurrences,? ?/, "");
      return { ...response, headers: { ...response.headers, "calendar-extensions": extensions } };
    },
  };
}
