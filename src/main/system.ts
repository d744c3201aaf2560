import { hkdfSync, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import type { Clock } from '../engine/ports/clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

/** Derives a 32-byte key for one purpose; it is the same on every node that has the secret (RFC 5869). */
export function derivedKey(secret: string, purpose: string): Uint8Array {
  return new Uint8Array(hkdfSync('sha256', secret, '', purpose, 32));
}

/** Resolves after the time, or as soon as the signal fires. */
export function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return setTimeout(ms, undefined, { signal }).catch(() => undefined);
}

/** Runs the work after `ms`, unless the returned function is called first. */
export function later(ms: number, work: () => void): () => void {
  const timer = globalThis.setTimeout(work, ms);
  return () => clearTimeout(timer);
}

export function every(ms: number, work: () => void): () => void {
  const timer = setInterval(work, ms);
  return () => clearInterval(timer);
}

export function newRequestId(): string {
  return `req_${Bun.randomUUIDv7()}`;
}

const ID_CHARACTERS = 24;
/** A call of the random generator costs as much for a few bytes as for thousands, so they are fetched in bulk. */
const STOCK_BYTES = 4_096;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

let stock = new Uint8Array(0);
let used = 0;

/** Returns a prefix followed by 32 characters (contract, Async task). */
export function newTaskId(): string {
  return newId('task_', 32);
}

/** Returns a fresh id in the vendors' style, such as `msg_` and 24 random letters and digits. */
export function newId(prefix: string, characters = ID_CHARACTERS): string {
  let id = prefix;
  for (let left = characters; left > 0; ) {
    if (used === stock.length) {
      stock = randomBytes(STOCK_BYTES);
      used = 0;
    }
    // Six bits; the two values outside of the alphabet are skipped, so that all characters are equally likely.
    const character = ALPHABET[(stock[used++] ?? 0) & 63];
    if (character === undefined) continue;
    id += character;
    left--;
  }
  return id;
}
