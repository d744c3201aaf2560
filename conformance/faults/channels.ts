import type { ClientFormat } from '../readers/index.ts';
import { strictUrl } from '../shared/replay.ts';
import type { FaultPlace } from './faults.ts';
import { PROVIDER_OF_FORMAT } from './upstreams.ts';

/** The timeout for a channel that stalls. */
const TIMEOUT_MS = 400;
/** Longer than the pauses between the events of a running stream. */
export const IDLE_MS = 800;

/** Only the tests of timeouts have short ones, so that a busy machine causes no other failure. */
export const TIMEOUTS: Readonly<Partial<Record<FaultPlace, Readonly<Record<string, number>>>>> = {
  silent: { connect_ms: TIMEOUT_MS, first_byte_ms: TIMEOUT_MS, idle_ms: TIMEOUT_MS },
  'silent-mid': { idle_ms: IDLE_MS },
};

export interface ChannelOptions {
  readonly id: string;
  readonly format: ClientFormat;
  readonly baseUrl: string;
  /** Public model id → upstream model id. */
  readonly models: Readonly<Record<string, string>>;
  readonly priority?: number;
  readonly timeouts?: Readonly<Record<string, number>>;
  readonly breaker?: Readonly<Record<string, number>>;
}

/**
 * Returns a channel that speaks only this format, and is tried first unless it has another priority. A replay at its URL refuses what the
 * provider refuses.
 */
export function channelOf({ id, format, baseUrl, models, priority = 0, timeouts, breaker }: ChannelOptions): object {
  const provider = PROVIDER_OF_FORMAT[format];
  const base_url = strictUrl(baseUrl, { provider, wire: format });
  return {
    ...{ id, provider, base_url, api_key: 'upstream-key', formats: [format] },
    ...{ priority, models },
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(breaker === undefined ? {} : { breaker }),
  };
}
