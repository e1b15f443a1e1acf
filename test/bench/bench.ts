import type { Rates, Stage } from "./stage";

/**
 * A bar: the figure must not go over, or not under it; `or` names another figure that may reach its own bar instead.
 * `peer` is the best of the peers on the same stub.
 */
export type Target = {
  atMost?: number;
  atLeast?: number;
  or?: { name: string; atMost: number };
  peer?: string;
};

export type Figures = Record<string, number>;

/** One question about speed, and how it is measured. */
export type Bench = {
  /** What is asked, in one line. */
  question: string;
  /** What nobody can do better than, in one line. */
  floor: string;
  rates: Rates;
  /** The bench starts the programs itself, once its database is filled. */
  startsPrograms?: true;
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
export function reaches(figures: Figures, name: string, target: Target): boolean {
  const figure = figures[name];
  if (figure === undefined || Number.isNaN(figure)) return false;
  const isReached =
    figure <= (target.atMost ?? Number.POSITIVE_INFINITY) &&
    figure >= (target.atLeast ?? Number.NEGATIVE_INFINITY);
  const { or } = target;
  return isReached || (or !== undefined && reaches(figures, or.name, { atMost: or.atMost }));
}

export function isPassed(figures: Figures, targets: Record<string, Target>): boolean {
  return Object.entries(targets).every(([name, target]) => reaches(figures, name, target));
}
