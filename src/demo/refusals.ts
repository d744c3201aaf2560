import { ERROR_CODES, type ErrorCode } from '../domain/failure/error-codes.ts';
import type { Chance } from './chance.ts';
import type { Customer, DemoKey } from './customers.ts';
import type { DemoTime } from './demo-time.ts';
import { HOUR_MS } from './demo-time.ts';
import type { Incidents } from './incidents.ts';

/** Why a request reached no channel. */
export interface DemoRefusal {
  readonly code: ErrorCode;
  readonly kind: string;
  readonly status: number;
}

const MISTAKES: readonly (readonly [ErrorCode, number])[] = [
  ['invalid_value', 30],
  ['missing_required_parameter', 14],
  ['context_length_exceeded', 20],
  ['model_not_found', 16],
  ['unsupported_parameter', 12],
  ['invalid_json', 8],
];

/** Returns why the gateway itself refuses the request; `null` if it does not. */
export function refusalOf(
  chance: Chance,
  {
    customer,
    key,
    atMs,
    time,
    incidents,
  }: {
    readonly customer: Customer;
    readonly key: DemoKey;
    readonly atMs: number;
    readonly time: DemoTime;
    readonly incidents: Incidents;
  },
): DemoRefusal | null {
  if (chance.happens(0.009)) return refused(chance.weighted(MISTAKES));
  const isFlood = incidents.isFlooded(customer.id, atMs) && key.id === incidents.flood.keyId;
  if (isFlood && chance.happens(0.58)) return refused('rate_limit_exceeded', 'key_requests_per_minute');
  const isShort = customer.endsWithCents !== undefined && atMs > time.nowMs - 30 * HOUR_MS;
  if (isShort && chance.happens(0.14)) return refused('insufficient_balance');
  if (key.requestsPerMinute !== undefined && chance.happens(0.004)) {
    return refused('rate_limit_exceeded', 'key_requests_per_minute');
  }
  return null;
}

export function refused(code: ErrorCode, kind: string = code): DemoRefusal {
  return { code, kind, status: ERROR_CODES[code].status };
}
