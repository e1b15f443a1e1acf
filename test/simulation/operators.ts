import {
  type ControlOutcome,
  pausePartition,
  resumePartition,
  setLaneWeight,
  setLimits,
} from "../../db/admission/controls";
import { readPartitionHealth } from "../../db/console/partitions";
import { resumeRedrive, stopRedrive } from "../../db/redrive/controls";
import { previewRedrive } from "../../db/redrive/preview";
import { listRedrives } from "../../db/redrive/read";
import { startRedrive } from "../../db/redrive/start";
import { ringPumps } from "../../inngest/dispatch";
import { ringDoorbell } from "../../inngest/publish";
import type { Dice } from "./dice";
import type { Stage } from "./stage";

const OPERATOR = { name: "operator", reason: "simulated" };

/** Operators redrive whatever is dead, go on after a pause, or stop. */
export function planRedrives(stage: Stage, dice: Dice): void {
  const { activeMs } = stage.length;
  for (let left = dice.int(0, 3); left > 0; left -= 1) {
    const ratePerSecond = dice.chance(0.5) ? dice.int(1, 5) : undefined;
    askForRedrive(stage, dice.int(Math.round(activeMs / 6), activeMs), ratePerSecond);
    const turn = dice.pick(["resume", "resume", "stop"] as const);
    stage.ask(dice.int(Math.round(activeMs / 3), activeMs), `an operator: ${turn} redrives`, async () => {
      const listed = await listRedrives({ limit: 10, unfinished: true });
      for (const { id } of listed.ok ? listed.value.redrives : [])
        await (turn === "stop" ? stopRedrive(id, OPERATOR) : resumeRedrive(id, OPERATOR));
      await ringDoorbell();
    });
  }
}

function askForRedrive(stage: Stage, atMs: number, ratePerSecond?: number): void {
  stage.ask(atMs, "an operator: redrive", async () => {
    const rate = ratePerSecond === undefined ? {} : { ratePerSecond };
    const previewed = await previewRedrive({ filter: {}, ...rate }, OPERATOR.name);
    if (!previewed.ok) return;
    const { id, wouldSend } = previewed.value;
    await startRedrive({ id, confirm: wouldSend, operator: OPERATOR });
    await ringDoorbell();
  });
}

/** Stories in which the email provider refuses what we say for good, until somebody has mended it and redrives. */
const REFUSED_SHARE = 0.1;

export function planRefusals(stage: Stage, dice: Dice): void {
  if (!dice.chance(REFUSED_SHARE)) return;
  const firstMs = Math.min(...stage.busyAtMs.filter((atMs) => atMs > 1_000), stage.length.activeMs / 2);
  const change = { fault: "error:validation_error", faultCount: dice.int(1, 4) };
  stage.at(firstMs - 500, () => {
    stage.note(`resend: ${JSON.stringify(change)}`);
    stage.world.providers.control("resend", change);
  });
  for (const afterMs of [8_000, 20_000]) askForRedrive(stage, firstMs + afterMs + dice.int(0, 5_000));
}

/** Operators pause, resume, change rates and weights of whatever partition there is. */
export function planOperators(stage: Stage, dice: Dice): void {
  for (let left = dice.int(0, 4); left > 0; left -= 1) {
    const which = dice.random();
    const kind = dice.pick(["pause", "pause-until", "resume", "rate", "rate-0", "weight"] as const);
    const [forMs, rate, burst] = [dice.int(2, 60) * 1000, dice.int(1, 8), dice.int(1, 3)];
    stage.ask(dice.int(5_000, stage.length.activeMs), `an operator: ${kind}`, async () => {
      const partitions = await readPartitionHealth();
      const key = partitions[Math.floor(which * partitions.length)]?.partition;
      if (key === undefined) return;
      const turn: Record<typeof kind, () => Promise<ControlOutcome>> = {
        pause: () => pausePartition(key, null, OPERATOR),
        "pause-until": () => pausePartition(key, forMs, OPERATOR),
        resume: () => resumePartition(key, OPERATOR),
        rate: () => setLimits(key, { ceiling: rate, burst }, OPERATOR),
        "rate-0": () => setLimits(key, { ceiling: 0 }, OPERATOR),
        weight: () => setLaneWeight(key, "urgent", rate, OPERATOR),
      };
      const turned = await turn[kind]();
      if (turned.ok) await ringPumps(turned.value.rings);
    });
  }
}
