import type { Clock } from '../engine/ports/clock.ts';
import { certificateAt } from './seen-certificate.ts';

const HOUR_MS = 3_600_000;
const TIMEOUT_MS = 10_000;

export interface CertificateExpiry {
  /** The host of the public address, with its port if it has one. */
  readonly host: string;
  readonly expiresAtMs: number;
}

/**
 * Tells when the certificate at the public address expires. It connects at most once an hour, and only while someone asks, so that a gateway
 * whose metrics nobody reads makes no connections to itself.
 */
export class PublicCertificate {
  private lookedAtMs = Number.NEGATIVE_INFINITY;
  private known: CertificateExpiry | null = null;
  private looking: Promise<void> = Promise.resolve();

  constructor(
    private readonly url: string | null,
    private readonly clock: Pick<Clock, 'monotonicMs'>,
  ) {}

  /** Returns what the latest look saw; `null` before it has ended, and if there was no certificate. */
  read(): CertificateExpiry | null {
    const nowMs = this.clock.monotonicMs();
    if (this.url !== null && nowMs - this.lookedAtMs >= HOUR_MS) {
      this.lookedAtMs = nowMs;
      this.looking = this.look(this.url);
    }
    return this.known;
  }

  /** Resolves when the look that `read` has begun is over. */
  settled(): Promise<void> {
    return this.looking;
  }

  private async look(url: string): Promise<void> {
    const seen = await certificateAt(url, TIMEOUT_MS);
    this.known = seen === null ? null : { host: new URL(url).host, expiresAtMs: seen.validToMs };
  }
}
