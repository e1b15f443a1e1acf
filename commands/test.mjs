import { ensureInstalled, handOver } from "./install.mjs";

ensureInstalled();
handOver("test.ts", process.argv.slice(2));
