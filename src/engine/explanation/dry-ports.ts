import { Failure } from '../../domain/failure/failure.ts';
import type { RecordPorts } from '../call/record-ports.ts';
import { TagValues } from '../call/tag-values.ts';
import type { MediaFetcher } from '../ports/media-fetcher.ts';
import type { Upstream } from '../ports/upstream.ts';

/* Ports of a dry run: nothing is sent, counted, logged or recorded. */

const nothing = () => undefined;

/** The kind of the failure of everything that a dry run would have to send or fetch. */
export const NOT_SENT = 'dry_run';

const notSent = () =>
  new Failure('upstream_error', { kind: NOT_SENT, message: 'A dry run sends and fetches nothing.' });

export const DRY_UPSTREAM: Upstream = { send: async () => notSent(), interrupt: nothing };

export const DRY_MEDIA: MediaFetcher = {
  maxUrls: 0,
  open: () => ({ fetch: async () => notSent(), open: async () => notSent(), release: nothing }),
};

/** Returns ports for the record of a call that is never written. */
export function dryRecord({ clock, endUsers }: Pick<RecordPorts, 'clock' | 'endUsers'>): RecordPorts {
  return {
    ...{ clock, endUsers, tagValues: new TagValues() },
    log: { append: nothing },
    logger: { debug: nothing, info: nothing, warn: nothing, error: nothing },
    metrics: {
      ...{ requestStarted: nothing, requestFinished: nothing, requestHandedOver: nothing, attemptFinished: nothing },
      keyRefused: nothing,
      chargeHeld: nothing,
    },
  };
}
