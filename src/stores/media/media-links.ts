import { createHmac, timingSafeEqual } from 'node:crypto';
import type { PresentedLink, StoredMedia } from '../../engine/ports/media-store.ts';

/** Links of the gateway's own, signed with a key that all nodes have: no node has to remember one. */
export class MediaLinks {
  constructor(private readonly key: Uint8Array) {}

  make({ id, expiresAtMs }: Pick<StoredMedia, 'id' | 'expiresAtMs'>, origin: string): string {
    const expires = String(Math.floor(expiresAtMs / 1_000));
    return `${origin}/media/${id}?expires=${expires}&signature=${this.sign(id, expires).toString('base64url')}`;
  }

  /** When it ends; `null` for one that was not made with the key, or has ended. */
  check({ id, expires, signature }: PresentedLink, nowMs: number): number | null {
    if (expires === null || signature === null || !/^\d{1,12}$/.test(expires)) return null;
    // Base64 has several texts for the same bytes; only the one that was made counts.
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
