import { obeySignals, runPhases, summaryLine, VERIFY } from "./phases";

/** `npm run verify`: what a commit must pass, without a database. */
obeySignals();
const tally = await runPhases(VERIFY);
console.log(`\n${summaryLine(tally)}`);
process.exit(tally.failed === 0 ? 0 : 1);
