import type { User } from "../../contract/shapes.js";
import type { Api, ResponseInfo } from "./client.js";

export interface ServiceCheck {
  readonly user: User | null;
  readonly response: ResponseInfo | null;
  readonly error: unknown;
}

/** Asks the service who is signed in. Whatever fails is in the result. */
export async function checkService(api: () => Promise<Api>): Promise<ServiceCheck> {
  let client: Api | undefined;
  const result = (user: User | null, error: unknown): ServiceCheck => ({
    user,
    response: client?.lastResponse() ?? null,
    error,
  });
  try {
    client = await api();
    return result(await client.getCurrentUser(), null);
  } catch (error) {
    return result(null, error);
  }
}

/** How far the local clock is ahead, in whole seconds, the precision of the `Date` header; null when unknown. */
export function clockSkew({ response }: ServiceCheck): number | null {
  const offset = response?.clockOffset ?? null;
  return offset === null ? null : Math.trunc((0 - offset) / 1000);
}
