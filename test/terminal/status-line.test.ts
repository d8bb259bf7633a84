import { expect, test } from "vitest";
import { createTextSink } from "../../src/terminal/text-sink.js";

const CLEAR = "\r\u001b[2K";

function createLine() {
  const texts: string[] = [];
  const sink = createTextSink({
    open: () => ({
      isTTY: true,
      write(text, done) {
        texts.push(String(text));
        done();
        return true;
      },
      on: () => undefined,
    }),
    name: "stderr",
    interruption: () => undefined,
    sleep: async () => undefined,
  });
  return { sink, texts };
}

test("a write clears the temporary line, once", async () => {
  const { sink, texts } = createLine();
  await sink.write("a\n");
  await sink.show("2 s");
  await sink.show("1 s");
  await sink.write("");
  await sink.write("b\n");
  await sink.write("c\n");
  expect(texts).toEqual(["a\n", `${CLEAR}2 s`, `${CLEAR}1 s`, `${CLEAR}b\n`, "c\n"]);
});

test("null clears the line only if there is one", async () => {
  const { sink, texts } = createLine();
  await sink.show(null);
  await sink.show("1 s");
  await sink.show(null);
  await sink.show(null);
  await sink.write("a\n");
  expect(texts).toEqual([`${CLEAR}1 s`, CLEAR, "a\n"]);
});
