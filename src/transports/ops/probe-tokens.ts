import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Clock } from '../../engine/ports/clock.ts';

/** Long enough for two machines whose clocks differ, which is one of the things that are checked. */
const VALID_MS = 3_600_000;

/** The tokens with which `switchyard doctor` proves to a gateway that it has the same master secret. They admit to nothing else. */
export class ProbeTokens {
  /** @param key derived from the master secret for this purpose only */
  constructor(
    private readonly key: Uint8Array,
    private readonly clock: Pick<Clock, 'nowMs'>,
  ) {}

  issue(): string {
    const expiresAtMs = this.clock.nowMs() + VALID_MS;
    return `${expiresAtMs}.${this.signature(String(expiresAtMs))}`;
  }

  admits(token: string): boolean {
    const [, expires = '', signature = ''] = /^(\d{13,15})\.([\w-]{43})$/.exec(token) ?? [];
    if (expires === '' || !timingSafeEqual(Buffer.from(this.signature(expires)), Buffer.from(signature))) return false;
    const leftMs = Number(expires) - this.clock.nowMs();
    return leftMs > 0 && leftMs <= 2 * VALID_MS;
  }

  private signature(text: string): string {
    return createHmac('sha256', this.key).update(text).digest('base64url');
  }
}
