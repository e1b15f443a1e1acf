import { type Bench, type Report, reaches, type Target } from "./bench";

/** Prints a report for people: figure, bar, whether it is reached, and what the best peer does. */
export function printTable({ question, floor }: Pick<Bench, "question" | "floor">, report: Report): void {
  const parameters = Object.entries(report.parameters).map(([name, value]) => `${name} ${value}`);
  console.log(`\n${report.name}: ${question}\nfloor: ${floor}\n${parameters.join(", ")}\n`);
  const rows = Object.entries(report.figures).map(([name, figure]) => {
    const target = report.targets[name];
    const verdict = target === undefined ? "" : reaches(report.figures, name, target) ? "reached" : "MISSED";
    return [name, show(figure), target === undefined ? "" : bar(target), verdict, target?.peer ?? ""];
  });
  const widths = [0, 1, 2, 3].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  for (const row of rows) {
    const cells = row.map((cell, column) =>
      column === 1 ? cell.padStart(widths[1] ?? 0) : cell.padEnd(widths[column] ?? 0),
    );
    console.log(`  ${cells.join("  ").trimEnd()}`);
  }
  console.log(`\n${report.passed ? "all targets reached" : "not all targets reached"}`);
}

function bar({ atMost, atLeast, or }: Target): string {
  const own = atMost === undefined ? `≥ ${atLeast}` : `≤ ${atMost}`;
  return or === undefined ? own : `${own}, or ${or.name} ≤ ${or.atMost}`;
}

function show(figure: number): string {
  if (Number.isInteger(figure)) return String(figure);
  return Number.isFinite(figure) ? figure.toFixed(Math.abs(figure) < 10 ? 3 : 1) : "not measured";
}
