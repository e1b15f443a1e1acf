/**
 * A fraction in [0, 1) made of a text: the same text always gives the same fraction, similar texts unrelated ones.
 *
 * Jitter is a hash of ids instead of a random number, so that a run can be repeated exactly. FNV-1a over the UTF-16
 * units, then the finaliser of MurmurHash3, without which ids that differ in their last letters stay neighbours.
 */
export function hashFraction(seed: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < seed.length; index += 1) {
    hash = Math.imul(hash ^ seed.charCodeAt(index), 0x01000193);
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 0x1_0000_0000;
}
