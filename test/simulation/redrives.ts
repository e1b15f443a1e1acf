import { resumeRedrive, stopRedrive } from "../../db/redrive/controls";
import { previewRedrive } from "../../db/redrive/preview";
import { listRedrives } from "../../db/redrive/read";
import { startRedrive } from "../../db/redrive/start";
import { ringDoorbell } from "../../inngest/publish";
import type { Dice } from "./dice";
import type { Stage } from "./stage";

const OPERATOR = { name: "operator", reason: "simulated" };

/** Operators redrive whatever is dead, go on after a pause, or stop. */
export function planRedrives(stage: Stage, dice: Dice): void {
  const { activeMs } = stage.length;
  for (let left = dice.int(0, 3); left > 0; left -= 1) {
    const ratePerSecond = dice.chance(0.5) ? dice.int(1, 5) : undefined;
    stage.ask(dice.int(Math.round(activeMs / 6), activeMs), "an operator: redrive", async () => {
      const rate = ratePerSecond === undefined ? {} : { ratePerSecond };
      const previewed = await previewRedrive({ filter: {}, ...rate }, OPERATOR.name);
      if (!previewed.ok) return;
      const { id, wouldSend } = previewed.value;
      await startRedrive({ id, confirm: wouldSend, operator: OPERATOR });
      await ringDoorbell();
    });
    const turn = dice.pick(["resume", "resume", "stop"] as const);
    stage.ask(dice.int(Math.round(activeMs / 3), activeMs), `an operator: ${turn} redrives`, async () => {
      const listed = await listRedrives({ limit: 10, unfinished: true });
      for (const { id } of listed.ok ? listed.value.redrives : [])
        await (turn === "stop" ? stopRedrive(id, OPERATOR) : resumeRedrive(id, OPERATOR));
      await ringDoorbell();
    });
  }
}
