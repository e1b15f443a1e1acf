import type { Rates, Stage } from "./stage";

/** A bar: the figure must not go over, or not under it. `peer` is the best of the peers on the same stub. */
export type Target = { atMost?: number; atLeast?: number; peer?: string };

export type Figures = Record<string, number>;

/** One question about speed, and how it is measured. */
export type Bench = {
  /** What is asked, in one line. */
  question: string;
  rates: Rates;
  /** The numbers of a run; `scale` below 1 makes it shorter. */
  parameters(scale: number): Record<string, number>;
  targets: Record<string, Target>;
  run(stage: Stage, parameters: Record<string, number>): Promise<Figures>;
};

export type Report = {
  name: string;
  parameters: Record<string, number | string>;
  figures: Figures;
  targets: Record<string, Target>;
  passed: boolean;
};

/** Whether a figure reaches its bar. A figure that could not be measured does not. */
export function reaches(figure: number | undefined, target: Target): boolean {
  if (figure === undefined || Number.isNaN(figure)) return false;
  return (
    figure <= (target.atMost ?? Number.POSITIVE_INFINITY) &&
    figure >= (target.atLeast ?? Number.NEGATIVE_INFINITY)
  );
}

export function isPassed(figures: Figures, targets: Record<string, Target>): boolean {
  return Object.entries(targets).every(([name, target]) => reaches(figures[name], target));
}
