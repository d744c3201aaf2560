import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PresentedLink, StoredMedia } from '../../engine/ports/media-store.ts';

/** Creates links that are signed with a key shared by all nodes, so that no node needs to store them. */
export class MediaLinks {
  constructor(private readonly key: Uint8Array) {}

  make({ id, expiresAtMs }: Pick<StoredMedia, 'id' | 'expiresAtMs'>, origin: string): string {
    const expires = String(Math.floor(expiresAtMs / 1_000));
    return `${origin}/media/${id}?expires=${expires}&signature=${this.sign(id, expires).toString('base64url')}`;
  }

  /** Returns when the link expires; `null` if it was not signed with the key or has expired. */
  check({ id, expires, signature }: PresentedLink, nowMs: number): number | null {
    if (expires === null || signature === null || !/^\d{1,12}$/.test(expires)) return null;
    // Base64 has several encodings of the same bytes; only the original one is accepted.
    const presented = Buffer.from(signature);
    const right = Buffer.from(this.sign(id, expires).toString('base64url'));
    if (presented.length !== right.length || !timingSafeEqual(presented, right)) return null;
    const expiresAtMs = Number(expires) * 1_000;
    return expiresAtMs > nowMs ? expiresAtMs : null;
  }

  private sign(id: string, expires: string): Buffer {
    return createHmac('sha256', this.key).update(`${expires}\n${id}`).digest();
  }
}
