/** Whether a host is this machine. @param host name or IP address, with or without brackets @see RFC 8252 §7.3 */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
}
