import type { Run } from "./measure";

/** The middle of these figures, and how far apart they lie. NaN when one is. */
export function spread(values: readonly number[]): { median: number; least: number; most: number } {
  const sorted = [...values].sort((one, other) => one - other);
  const isWhole = sorted.length > 0 && !sorted.some(Number.isNaN);
  if (!isWhole) return { median: Number.NaN, least: Number.NaN, most: Number.NaN };
  const middle = (sorted.length - 1) / 2;
  const median = ((sorted[Math.floor(middle)] ?? 0) + (sorted[Math.ceil(middle)] ?? 0)) / 2;
  return { median, least: sorted[0] ?? 0, most: sorted.at(-1) ?? 0 };
}

const COLUMNS: { title: string; digits: number; of: (run: Run) => number }[] = [
  { title: "Drain ÷ floor", digits: 3, of: (run) => run.drainOverFloor },
  { title: "429 per 1000", digits: 0, of: (run) => run.throttledPerThousand },
  { title: "Twice", digits: 0, of: (run) => run.duplicates },
  { title: "Missing", digits: 0, of: (run) => run.missing },
  { title: "Transactions each", digits: 2, of: (run) => run.transactionsPerDelivery },
  { title: "CPU each, ms", digits: 1, of: (run) => run.cpuMsPerDelivery },
];

/** A Markdown table of one workload: a row for each system, the median of its runs and in brackets their range. */
export function table(runs: readonly Run[]): string {
  const systems = [...new Set(runs.map(({ system }) => system))];
  const head = ["System", ...COLUMNS.map(({ title }) => title)];
  const rows = systems.map((system) => {
    const own = runs.filter((run) => run.system === system);
    return [system, ...COLUMNS.map(({ digits, of }) => cell(own.map(of), digits))];
  });
  return [head, head.map(() => "---"), ...rows].map((row) => `| ${row.join(" | ")} |`).join("\n");
}

function cell(values: readonly number[], digits: number): string {
  const { median, least, most } = spread(values);
  if (Number.isNaN(median)) return "not finished";
  const text = (value: number) => value.toFixed(digits);
  return text(least) === text(most) ? text(median) : `${text(median)} (${text(least)}–${text(most)})`;
}

const ROW_HEIGHT = 28;
const LABEL_WIDTH = 260;
const BAR_WIDTH = 420;

/** A plot of one workload as SVG: how much longer than the floor each system took, in per cent, as bars. */
export function plot(title: string, runs: readonly Run[]): string {
  const systems = [...new Set(runs.map(({ system }) => system))];
  const rows = systems.map((system) => {
    const { median } = spread(runs.filter((run) => run.system === system).map((run) => run.drainOverFloor));
    return { system, percent: (median - 1) * 100 };
  });
  const known = rows.filter(({ percent }) => !Number.isNaN(percent));
  const most = Math.max(1, ...known.map(({ percent }) => percent));
  const bars = rows.map(({ system, percent }, index) => {
    const y = 40 + index * ROW_HEIGHT;
    const isFinished = !Number.isNaN(percent);
    const width = isFinished ? Math.max(1, (Math.max(0, percent) / most) * BAR_WIDTH) : 0;
    const told = isFinished ? `${percent.toFixed(1)} %` : "not finished";
    return [
      `<text x="${LABEL_WIDTH - 8}" y="${y + 14}" text-anchor="end">${system}</text>`,
      `<rect x="${LABEL_WIDTH}" y="${y}" width="${width.toFixed(1)}" height="18" fill="${system === "Punctual" ? "#0f766e" : "#94a3b8"}"/>`,
      `<text x="${LABEL_WIDTH + width + 6}" y="${y + 14}">${told}</text>`,
    ].join("");
  });
  const [width, height] = [LABEL_WIDTH + BAR_WIDTH + 110, 52 + rows.length * ROW_HEIGHT];
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="13" role="img" aria-label="${title}"><rect width="${width}" height="${height}" fill="#ffffff"/><text x="8" y="20" font-weight="bold">${title}: longer than the floor by</text>${bars.join("")}</svg>\n`;
}
