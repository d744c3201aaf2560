import { SuccessRates } from '../engine/model-listing/success-rates.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Store } from '../engine/ports/store.ts';
import type { ListingSettings } from '../engine/settings/settings.ts';

interface SuccessRateOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly store: Pick<Store, 'outcomes' | 'snapshots'>;
  readonly listing: ListingSettings;
}

/**
 * Restores the success rates from before a restart, and keeps updating them in the background, since there may be millions of log lines.
 */
export async function startSuccessRates({
  clock,
  store: { outcomes, snapshots },
  listing,
  logger,
}: SuccessRateOptions) {
  const rates = new SuccessRates({
    sources: [outcomes],
    snapshots,
    clock,
    logger,
    freshMs: listing.refreshMs,
  });
  await rates.restore();
  let isStopped = false;
  let timer: ReturnType<typeof setTimeout>;
  const refresh = async (): Promise<void> => {
    await rates.refresh();
    if (!isStopped) timer = setTimeout(() => void refresh(), rates.nextDelayMs());
  };
  timer = setTimeout(() => void refresh(), 0);
  const stop = async () => {
    isStopped = true;
    clearTimeout(timer);
    await rates.stop();
  };
  return { current: () => rates.current(), stop };
}
