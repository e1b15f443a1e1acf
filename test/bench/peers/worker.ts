import { PEERS } from "./all";
import type { PeerSettings } from "./peer";

/**
 * The worker of one peer as a process of its own: `worker.ts <name> <settings>`. It begins when its parent says so, and
 * tells what it used of the processor when it is asked.
 */
const [name = "", given = "{}"] = process.argv.slice(2);
const peer = PEERS[name];
if (peer === undefined) throw new Error(`There is no peer ${name}.`);
const settings = JSON.parse(given) as PeerSettings;

process.on("message", (message) => {
  if (message === "begin") void peer.work(settings);
  if (message === "used") {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpuSeconds: (user + system) / 1e6 });
  }
});
process.on("disconnect", () => process.exit(0));
process.send?.("ready");
