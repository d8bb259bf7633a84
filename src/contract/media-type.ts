/** The vendor word in the contract's media type; services put their own name there. */
export const DEFAULT_VENDOR = "service";

/** `application/vnd.<vendor>.v1+json`. @see contract section 9 */
export function vendorMediaType(vendor: string = DEFAULT_VENDOR): string {
  return `application/vnd.${vendor}.v1+json`;
}

/** What clients of the contract ask for when nothing else is configured. */
export const DEFAULT_MEDIA_TYPE = vendorMediaType();

/** Media type of request bodies. */
export const JSON_MEDIA_TYPE = "application/json";

/** Media type of error bodies. @see RFC 9457 §3 */
export const PROBLEM_MEDIA_TYPE = "application/problem+json";
