const MINUTE_MS = 60_000;

/** Ten minutes of calm: several pump ticks, sweeps and provider gates fit in, so that a relapse would have shown. */
export const CALM_MS = 10 * MINUTE_MS;

/** Sweeps look once a minute; three that are missing in a row are a gap in which anything may have happened. */
export const CALM_GAP_MS = 3 * MINUTE_MS;

/** Whether it is certain who sends from this ledger. */
export interface Certainty {
  certain: boolean;
  /** Why not, in words for people; null when it is certain. */
  why: string | null;
  uncertainSinceMs: number | null;
  /** When cleanup and redrive open by themselves if the queue stays calm; null when nobody can know. */
  opensAtMs: number | null;
}

export interface CertaintyFacts {
  mode: "sending" | "held";
  sameGeneration: boolean;
  sameInstallation: boolean;
  uncertainSinceMs: number | null;
  uncertainWhy: string | null;
  calmSinceMs: number | null;
}

/** Cleanup and redrive change what an owner may rely on: they wait until there is one owner and its queue is calm. */
export function decideCertainty(facts: CertaintyFacts): Certainty {
  const { uncertainSinceMs, calmSinceMs } = facts;
  const no = (why: string, opensAtMs: number | null = null): Certainty => ({
    certain: false,
    why,
    uncertainSinceMs,
    opensAtMs,
  });
  if (facts.mode !== "sending") return no("the ledger is held");
  if (!facts.sameGeneration) return no("this process belongs to another ledger generation");
  if (!facts.sameInstallation) return no("this is a copy of the database that nobody has promoted");
  if (uncertainSinceMs === null) return { certain: true, why: null, uncertainSinceMs: null, opensAtMs: null };
  const because = facts.uncertainWhy ?? "a hand-over";
  if (calmSinceMs === null) return no(`${because}: queue age is not yet under its SLO`);
  return no(`${because}: queue age must stay under its SLO for ten minutes`, calmSinceMs + CALM_MS);
}
