/** Whether a host, a name or an address with or without brackets, never leaves this machine. @see RFC 8252 §7.3 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
