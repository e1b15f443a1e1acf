import { ALL, obeySignals, runPhases, summaryLine } from "./phases";

/** `npm test`, or `npm test -- flow browser` for some of its phases. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !ALL.some((phase) => phase.name === name));
if (unknown.length > 0) {
  const names = ALL.map((phase) => phase.name).join(", ");
  console.error(
    `There is no phase ${unknown.join(", ")}. There are: ${names}. One file: npx vitest run <path>.`,
  );
  process.exit(2);
}
const phases = ALL.filter((phase) => wanted.length === 0 || wanted.includes(phase.name));
obeySignals();
const tally = await runPhases(phases);
console.log(`\n${summaryLine(tally)}`);
process.exit(tally.failed === 0 ? 0 : 1);
