const CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";

/** A ULID: 48 bits of time and 80 of chance, so that ids sort by the instant they were made. */
export function ulid(nowMs: number, random: () => number): string {
  let time = "";
  for (let rest = Math.floor(nowMs), place = 0; place < 10; place += 1) {
    time = CROCKFORD.charAt(rest % 32) + time;
    rest = Math.floor(rest / 32);
  }
  let chance = "";
  for (let place = 0; place < 16; place += 1) chance += CROCKFORD.charAt(Math.floor(random() * 32));
  return time + chance;
}
