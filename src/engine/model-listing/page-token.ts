import { createHmac, timingSafeEqual } from 'node:crypto';

const SIGNATURE_BYTES = 16;

/** Tokens for the next page of a list, signed, so that clients cannot make or change them. */
export class PageTokens {
  /** @param key secret bytes, the same on every node */
  constructor(private readonly key: Uint8Array) {}

  /** Returns a token in base64url: the signature and the id after which the page begins. */
  sign(afterId: string): string {
    const content = Buffer.from(afterId, 'utf8');
    return Buffer.concat([this.signatureOf(content), content]).toString('base64url');
  }

  /** Returns the id, or `null` if the token was not signed with this key. */
  verify(token: string): string | null {
    const bytes = Buffer.from(token, 'base64url');
    // Base64 decoding is tolerant; a signed token has exactly one spelling.
    if (bytes.length <= SIGNATURE_BYTES || bytes.toString('base64url') !== token) return null;
    const content = bytes.subarray(SIGNATURE_BYTES);
    const isOurs = timingSafeEqual(bytes.subarray(0, SIGNATURE_BYTES), this.signatureOf(content));
    return isOurs ? content.toString('utf8') : null;
  }

  private signatureOf(content: Uint8Array): Buffer {
    return createHmac('sha256', this.key).update(content).digest().subarray(0, SIGNATURE_BYTES);
  }
}
