import { createHash } from "node:crypto";
import { randomFrom } from "../support/interleave";

/** Chance that repeats for a seed. Each purpose has dice of its own, so that one more throw here moves nothing there. */
export class Dice {
  readonly random: () => number;

  constructor(private readonly seed: string) {
    this.random = randomFrom(createHash("sha256").update(seed).digest().readUInt32BE(0));
  }

  fork(purpose: string): Dice {
    return new Dice(`${this.seed}/${purpose}`);
  }

  /** A whole number from `least` to `most`, both included. */
  int(least: number, most: number): number {
    return least + Math.floor(this.random() * (most - least + 1));
  }

  chance(share: number): boolean {
    return this.random() < share;
  }

  pick<T>(from: readonly T[]): T {
    return from[Math.floor(this.random() * from.length)] as T;
  }

  /** Some of them, at least one, in their order. */
  some<T>(from: readonly T[]): T[] {
    const one = this.pick(from);
    return from.filter((item) => item === one || this.chance(0.5));
  }

  /** Ids that look like version 4 UUIDs and repeat for the seed. */
  newId(): string {
    const word = () =>
      Math.floor(this.random() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, "0");
    const hex = word() + word() + word() + word();
    const variant = "89ab".charAt(Number.parseInt(hex.charAt(16), 16) % 4);
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
