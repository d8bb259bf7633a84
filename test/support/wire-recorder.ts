import type { Service } from "../../service/service.js";
import { startFaultServer } from "./fault-server.js";
import { byService, type ReceivedRequest, reply, type Step } from "./fault-steps.js";
import type { WireAnswer } from "./http-bytes.js";

/** One request as received, with its body parsed as JSON; null without one. */
interface WireRequest extends Omit<ReceivedRequest, "body"> {
  readonly body: unknown;
}

export interface WireRecorder {
  readonly baseUrl: string;
  readonly requests: WireRequest[];
  /** Responds to the next requests of this method and path itself, one answer a request; the last one stays. */
  answer(methodAndPath: string, ...answers: readonly WireAnswer[]): void;
}

/** A socket in front of a service that records its requests. */
export async function startWireRecorder(service: Service): Promise<WireRecorder> {
  const server = await startFaultServer();
  const requests: WireRequest[] = [];
  const keep: Step = async ({ request: received, receive }) => {
    await receive();
    const { body, ...request } = received;
    requests.push({ ...request, body: body.length === 0 ? null : JSON.parse(body.toString()) });
  };
  server.otherwise([keep, reply(byService(service))]);
  return {
    baseUrl: server.baseUrl,
    requests,
    answer: (methodAndPath, ...answers) =>
      server.on(methodAndPath, ...answers.map((answer) => [keep, reply(answer)])),
  };
}
