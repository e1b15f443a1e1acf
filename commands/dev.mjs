import { ensureInstalled, handOver } from "./install.mjs";

ensureInstalled();
handOver("dev.ts", process.argv.slice(2));
