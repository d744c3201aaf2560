import { createHmac, randomBytes } from 'node:crypto';
import type { AlertTarget } from '../ports/alert-store.ts';

const PREFIX = 'whsec_';
const SECRET_BYTES = 32;

/** Returns `whsec_` with standard base64, as the libraries of Standard Webhooks accept it. */
export function newWebhookSecret(): string {
  return PREFIX + randomBytes(SECRET_BYTES).toString('base64');
}

/** A secret of 24 to 64 bytes, as the specification requires. */
export const WEBHOOK_SECRET = /^whsec_(?:[A-Za-z0-9+/]{4}){8,21}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

/**
 * Returns the headers of a webhook (Standard Webhooks, "Signature scheme"): an HMAC over id, time and body for each secret in force. The
 * time is that of the attempt, so that receivers can refuse replays.
 */
export function webhookHeaders(
  { secret, previousSecret }: Pick<AlertTarget, 'secret' | 'previousSecret'>,
  { id, body }: { readonly id: string; readonly body: string },
  nowMs: number,
): Readonly<Record<string, string>> {
  const timestamp = String(Math.floor(nowMs / 1_000));
  const isGraced = previousSecret !== null && previousSecret.untilMs > nowMs;
  const secrets = [secret, isGraced ? previousSecret.secret : null].filter((one) => one !== null);
  const signatures = secrets.map((one) => {
    const key = Buffer.from(one.slice(PREFIX.length), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return {
    'content-type': 'application/json',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': signatures.join(' '),
  };
}
