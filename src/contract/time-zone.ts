/** Whether this runtime knows the IANA timezone name. */
export function isTimeZone(name: string): boolean {
  if (name === "UTC") return true;
  // Intl also takes bare offsets on newer runtimes; those are no names.
  if (!/^[A-Za-z]/.test(name)) return false;
  try {
    new Intl.DateTimeFormat("en-US", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
