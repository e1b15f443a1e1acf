import { spawn } from "node:child_process";
import { once } from "node:events";
import { PassThrough } from "node:stream";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { escapeControls } from "../../inngest/output";

const OUTPUT = fileURLToPath(new URL("../../inngest/output.ts", import.meta.url));

/** Prints through a pipe that nobody reads, with a handler that prints what nobody caught, as Next has one. */
const program = (prelude: string) => `
  import { outliveReaders } from ${JSON.stringify(OUTPUT)};
  let uncaught = 0;
  process.on("uncaughtException", (error) => {
    uncaught += 1;
    if (uncaught < 50) console.error(error);
  });
  ${prelude}
  process.on("message", () => {
    console.error("a line");
    console.log("a line");
    let turns = 0;
    const turn = () => (turns++ < 200 ? setImmediate(turn) : process.send({ uncaught }, () => process.exit(0)));
    turn();
  });
  process.send("ready");
`;

async function uncaughtWithoutReader(prelude: string): Promise<number> {
  const args = ["--import", "tsx", "--input-type=module", "--eval", program(prelude)];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe", "ipc"] });
  await once(child, "message");
  child.stdout?.destroy();
  child.stderr?.destroy();
  child.send("print");
  const [{ uncaught }] = (await once(child, "message")) as [{ uncaught: number }];
  return uncaught;
}

test("a process whose output nobody reads any more is not kept busy by telling so", async () => {
  const listening = "outliveReaders();";
  expect(await uncaughtWithoutReader(listening)).toBe(0);
  // Without it, telling of the failure fails, and that is told.
  expect(await uncaughtWithoutReader("")).toBeGreaterThan(1);
});

test("a terminal obeys nothing that a stranger's header or words brought into a line, and the line stays as it was otherwise", () => {
  const stream = new PassThrough();
  escapeControls(stream);
  const line = JSON.stringify({ message: "Grüße \u009b2J \u202egnp.exe\u2066 👋 é", at: 1 });
  stream.write(`${line}\n`);
  stream.write(Buffer.from("bytes \u001b[0m\n"));
  const written = String(stream.read());
  expect(written).not.toMatch(/[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/);
  expect(JSON.parse(written.split("\n")[0] ?? "")).toEqual(JSON.parse(line));
  expect(written).toContain("bytes \u001b[0m\n");
});
