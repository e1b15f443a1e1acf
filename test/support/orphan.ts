/**
 * A test process whose runner is gone, killed or told to end, would go on with its file, and the servers and browsers that
 * it has started with it. It ends at once, and so do they.
 */
const ended = "test process ends with its runner";
if (!Reflect.has(globalThis, ended)) {
  Reflect.set(globalThis, ended, true);
  process.once("disconnect", () => process.exit(1));
}
