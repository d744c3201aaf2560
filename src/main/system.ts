import { randomUUID } from 'node:crypto';
import type { Clock } from '../engine/ports/clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
};

export function newRequestId(): string {
  return `req_${randomUUID()}`;
}
