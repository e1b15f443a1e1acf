import { ALL, obeySignals, type Phase, runPhases, summaryLine } from "./phases";

/** `npm test`, or `npm test -- flow browser` for some of its phases. */
const wanted = process.argv.slice(2);
const unknown = wanted.filter((name) => !ALL.flat().some((phase) => phase.name === name));
if (unknown.length > 0) {
  const names = ALL.flat()
    .map((phase) => phase.name)
    .join(", ");
  console.error(
    `There is no phase ${unknown.join(", ")}. There are: ${names}. One file: npx vitest run <path>.`,
  );
  process.exit(2);
}
const isWanted = ({ name }: Phase) => wanted.length === 0 || wanted.includes(name);
const stages = ALL.map((stage) => stage.filter(isWanted)).filter((stage) => stage.length > 0);
obeySignals();
const tally = await runPhases(stages);
console.log(`\n${summaryLine(tally)}`);
process.exit(tally.failed === 0 ? 0 : 1);
