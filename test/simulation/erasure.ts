import { eraseSubscriber } from "../../db/privacy/erase";
import type { Dice } from "./dice";
import type { Stage } from "./stage";

/** Stories in which the shop asks to erase somebody. */
const SHARE = 0.15;

/** Somebody is erased, at best while something of theirs is under way; some are asked for twice. */
export function planErasures(stage: Stage, dice: Dice): void {
  if (!dice.chance(SHARE)) return;
  const shopper = dice.pick(stage.shoppers);
  const anyMs = dice.int(4_000, stage.length.activeMs);
  const atMs = stage.soonAfterWork(dice) ?? anyMs;
  const times = dice.chance(0.3) ? [atMs, atMs + dice.int(0, 10_000)] : [atMs];
  for (const time of times) {
    stage.ask(time, `the shop erases ${shopper.externalId}`, async () => {
      shopper.eraseAskedAtMs = Math.min(shopper.eraseAskedAtMs, stage.world.nowMs());
      const erased = await eraseSubscriber(shopper.id, { name: "shop", reason: "asked for by the shop" });
      if (!erased.ok) return;
      shopper.erasedAtMs = Math.min(shopper.erasedAtMs, stage.world.nowMs());
      stage.note(`erased: ${JSON.stringify(erased.value)}`);
    });
  }
}
