import type { ProviderName } from "../../../standins/providers";
import type { Dice } from "../dice";
import type { Stage } from "../stage";

/** Plans one thing that goes wrong about `atMs` of the story; it calls `stage.struck` when it does. */
export type Strike = (stage: Stage, dice: Dice, atMs: number) => void;

export const PROVIDERS: readonly ProviderName[] = ["resend", "twilio", "push"];
