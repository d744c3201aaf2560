import type { Origin } from '../../../domain/catalog/model.ts';
import type { Guard } from '../../../domain/guards/guard.ts';
import { fromJson } from './encoding.ts';

export interface GuardRow {
  readonly id: string;
  /** Everything but the id, the time and the origin, as JSON. */
  readonly definition: string;
  readonly created_at_ms: number;
  readonly origin: Origin;
}

export function toGuardRow({ id, createdAtMs, origin, ...definition }: Guard): GuardRow {
  return { id, definition: JSON.stringify(definition), created_at_ms: createdAtMs, origin };
}

export function fromGuardRow({ id, definition, created_at_ms: createdAtMs, origin }: GuardRow): Guard {
  return { id, ...fromJson<Omit<Guard, 'id' | 'createdAtMs' | 'origin'>>(definition), createdAtMs, origin };
}
