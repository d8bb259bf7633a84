import { type AddressInfo, createServer, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { onTestFinished } from "vitest";

/** An email as it was handed over. */
interface ReceivedMail {
  readonly recipients: readonly string[];
  /** Header and body, without the escaping of the protocol. */
  readonly message: string;
}

export interface SmtpServer {
  readonly port: number;
  readonly mails: readonly ReceivedMail[];
}

/** What the server answers to a command, instead of accepting it; null says nothing. */
export type SmtpAnswers = Readonly<Partial<Record<"RCPT" | "." | "MAIL", string | null>>>;

/** Accepts mail on 127.0.0.1 until the test ends. @see RFC 5321 */
export async function startSmtpServer(answers: SmtpAnswers = {}): Promise<SmtpServer> {
  const mails: ReceivedMail[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    void converse(socket, answers, mails);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.close();
    for (const socket of sockets) socket.destroy();
  });
  return { port: (server.address() as AddressInfo).port, mails };
}

async function converse(socket: Socket, answers: SmtpAnswers, mails: ReceivedMail[]): Promise<void> {
  const lines = createInterface({ input: socket })[Symbol.asyncIterator]();
  const say = (text: string | null) => void (text === null || socket.write(`${text}\r\n`));
  const recipients: string[] = [];
  say("220 mail.example ready");
  for await (const line of { [Symbol.asyncIterator]: () => lines }) {
    const [command = ""] = line.toUpperCase().split(/[ :]/);
    if (command === "RCPT") recipients.push(/<(.*)>/.exec(line)?.[1] ?? "");
    const answer = answers[command as keyof SmtpAnswers];
    say(answer === undefined ? (ANSWERS[command] ?? "250 ok") : answer);
    if (command !== "DATA") continue;
    const message = await readMessage(lines);
    const refusal = answers["."];
    if (refusal === undefined) mails.push({ recipients: recipients.splice(0), message });
    say(refusal === undefined ? "250 accepted" : refusal);
  }
}

const ANSWERS: Readonly<Record<string, string>> = { DATA: "354 go on", QUIT: "221 bye" };

/** Up to the line with only a dot. @see RFC 5321 §4.5.2 */
async function readMessage(lines: AsyncIterator<string>): Promise<string> {
  const message: string[] = [];
  for (let next = await lines.next(); next.done !== true && next.value !== "."; next = await lines.next()) {
    message.push(next.value.replace(/^\./, ""));
  }
  return message.join("\n");
}
