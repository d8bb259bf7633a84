/** First and only argument that makes the program its own browser opener. */
export const BROWSER_HELPER_ARGUMENT = "--browser-helper";

/**
 * Opens the address on stdin in the user's browser, in a process of its own: launchers may hang, and they inherit an
 * environment that must hold no secret.
 */
export async function runBrowserHelper(stdin: AsyncIterable<Uint8Array | string>): Promise<void> {
  let url = "";
  for await (const chunk of stdin)
    url += typeof chunk === "string" ? chunk : Buffer.from(chunk).toString("utf8");
  const { default: open } = await import("open");
  await open(url);
}
