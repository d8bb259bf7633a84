import { isTimeZone } from "../contract/time-zone.js";

/** The zone of this process as Node resolves it, which reads TZ; undefined when that has no IANA name. */
export function resolveSystemTimeZone(): string | undefined {
  // Typed as text, but undefined for a TZ such as `JST-9`.
  const zone: unknown = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return typeof zone === "string" && zone !== "Etc/Unknown" && isTimeZone(zone) ? zone : undefined;
}
