/** The argument that makes the program open a browser instead. */
export const BROWSER_HELPER_ARGUMENT = "--browser-helper";

/**
 * Opens the address on stdin in the user's browser. In a process of its own, because launchers may hang, and because
 * they inherit its environment, which must hold no secret.
 */
export async function runBrowserHelper(stdin: AsyncIterable<Uint8Array | string>): Promise<void> {
  let url = "";
  for await (const chunk of stdin)
    url += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  const { default: open } = await import("open");
  await open(url);
}
