import { EVENT_STREAM_MEDIA_TYPE } from "../../contract/media-types.js";
import { type Transport, urlBelow } from "./transport.js";

/** What is followed, and who is told. */
export interface FollowOptions {
  readonly calendarId: string;
  /** The revision that is known. */
  readonly since: number;
  /** Called when the service sends something. */
  readonly onOpen: () => void;
  /** Called for each message that something was written. */
  readonly onChange: () => void;
  readonly signal: AbortSignal;
}

/**
 * Follows the changes of a calendar as server-sent events, until the response ends. It is not sent again.
 * @throws TransportError; the reason of the signal
 */
export type FollowChanges = (options: FollowOptions) => Promise<void>;

const DATA = "data:";

export function createFollowChanges(transport: Transport, baseUrl: URL): FollowChanges {
  return async ({ calendarId, since, onOpen, onChange, signal }) => {
    const decoder = new TextDecoder();
    let begun = "";
    await transport({
      method: "GET",
      url: urlBelow(baseUrl, `/calendars/${encodeURIComponent(calendarId)}/changes`),
      headers: { accept: EVENT_STREAM_MEDIA_TYPE, "last-event-id": String(since) },
      signal,
      onData(chunk) {
        onOpen();
        const lines = (begun + decoder.decode(chunk, { stream: true })).split("\n");
        // The name of the field is enough: what has changed is read with all checks of a list.
        begun = (lines.pop() ?? "").slice(0, DATA.length);
        if (lines.some((line) => line.startsWith(DATA))) onChange();
      },
    });
  };
}
