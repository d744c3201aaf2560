import type { Turns } from '../../../domain/concurrency/turns.ts';
import type { RelayChannel } from '../../directory/relay-channel.ts';
import type { BatchRelayStore } from '../../ports/batch-relay-store.ts';
import type { DurableBilling } from '../../ports/billing.ts';
import type { Clock } from '../../ports/clock.ts';
import type { Holds } from '../../ports/holds.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Upstream } from '../../ports/upstream.ts';
import type { BatchSettings } from '../../settings/settings.ts';
import type { LineBodies } from '../line-bodies.ts';

/** The means of relaying lines to batches of providers. */
export interface RelayPorts {
  readonly store: BatchRelayStore;
  readonly holds: Pick<Holds, 'release' | 'find'>;
  readonly billing: Pick<DurableBilling, 'hold'>;
  readonly upstream: Pick<Upstream, 'send'>;
  /** Returns the channel with this upstream key; `null` if none in use has it. */
  readonly channelAt: (place: string, accountId: string) => RelayChannel | null;
  /** The memory for lines, of which long results take a part while they arrive. */
  readonly bodies: Pick<LineBodies, 'take' | 'giveBack'>;
  /** Reads results, those of an account one after the other. */
  readonly reading: Turns;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly settings: BatchSettings;
  readonly random: () => number;
  readonly newRelayId: () => string;
  /** Bounds of one batch at the provider. */
  readonly mostLines: number;
  readonly mostBytes: number;
}

/** The limits that OpenAI documents, with room for what the provider adds. */
export const RELAY_BOUNDS = { mostLines: 50_000, mostBytes: 190 * 1024 * 1024 };

/** Returns the id of the hold of a relayed line. Its charge has the id of the request, since it is written like that of any other line. */
export function holdIdOf(requestId: string): string {
  return `${requestId}-relayed`;
}
