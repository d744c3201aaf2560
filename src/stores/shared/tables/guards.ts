import type { Origin } from '../../../domain/catalog/model.ts';
import type { Guard, WebhookRule } from '../../../domain/guards/guard.ts';
import type { SecretBox } from '../secret-box.ts';
import { fromJson } from './encoding.ts';

export interface GuardRow {
  readonly id: string;
  /** Everything but the id, the webhook, the time and the origin, as JSON. */
  readonly definition: string;
  /** The webhook, sealed: its address may be a credential. NULL for none. */
  readonly secrets: string | null;
  readonly created_at_ms: number;
  readonly origin: Origin;
}

type Definition = Omit<Guard, 'id' | 'createdAtMs' | 'origin' | 'webhook'>;

export function toGuardRow({ id, createdAtMs, origin, webhook, ...definition }: Guard, box: SecretBox): GuardRow {
  return {
    id,
    definition: JSON.stringify(definition),
    secrets: webhook === undefined ? null : box.seal(JSON.stringify(webhook), placeOfGuard(id)),
    created_at_ms: createdAtMs,
    origin,
  };
}

/** Throws a `SecretBoxError` that names the guard if its webhook was sealed with another secret. */
export function fromGuardRow({ id, definition, secrets, created_at_ms, origin }: GuardRow, box: SecretBox): Guard {
  const guard = { id, ...fromJson<Definition>(definition), createdAtMs: created_at_ms, origin };
  return secrets === null ? guard : { ...guard, webhook: fromJson<WebhookRule>(box.open(secrets, placeOfGuard(id))) };
}

/** Returns the context to which the sealed webhook is bound. */
export function placeOfGuard(id: string): string {
  return `guard:${id}`;
}
