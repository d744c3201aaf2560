import type { ClientFormat } from '../readers/index.ts';
import { strictUrl } from '../shared/replay.ts';
import type { FaultPlace } from './faults.ts';
import { PROVIDER_OF_FORMAT } from './upstreams.ts';

/** A channel that falls silent is given up this soon. */
const TIMEOUT_MS = 400;
/** Between the events of a stream that goes on there is less. */
export const IDLE_MS = 800;

/** Where nothing has to be waited for, no wait of a busy machine may be taken for the fault. */
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
 * A channel of the configuration that speaks this format only, and is tried first unless it has another priority. A replay at its address
 * refuses what the provider refuses.
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
