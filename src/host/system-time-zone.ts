import { isTimeZone } from "../contract/time-zone.js";

/** The zone of this process as Node resolves it, which reads TZ; undefined when that has no IANA name. */
export function resolveSystemTimeZone(): string | undefined {
  // Node's Intl takes half as long to load as Node itself; machines in UTC, as most servers are, do without it.
  if (new Date(0).toString().endsWith("+0000 (Coordinated Universal Time)")) return "UTC";
  // Typed as text, but undefined for a TZ such as `JST-9`.
  const zone: unknown = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  return typeof zone === "string" && zone !== "Etc/Unknown" && isTimeZone(zone) ? zone : undefined;
}
