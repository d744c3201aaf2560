import { randomBytes, randomUUID } from 'node:crypto';
import type { Clock } from '../engine/ports/clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export function newRequestId(): string {
  return `req_${randomUUID()}`;
}

const ID_BYTES = 18;

/** A fresh id such as `msg_` and 24 random letters and digits, as the vendors' own look. */
export function newId(prefix: string): string {
  // Base64url without its two marks, which some clients' id patterns do not take.
  const text = randomBytes(ID_BYTES + 6)
    .toString('base64url')
    .replace(/[-_]/g, '');
  return prefix + text.slice(0, 24).padEnd(24, '0');
}
