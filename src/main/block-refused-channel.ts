import { auditedDirectory, localOrigin } from '../engine/admin/audit/audit-trail.ts';
import { blockChannel } from '../engine/admin/channels/change-channels.ts';
import type { AskedTarget } from '../engine/directory/target.ts';
import type { Clock } from '../engine/ports/clock.ts';
import type { Logger } from '../engine/ports/logger.ts';
import type { Store } from '../engine/ports/store.ts';

export interface BlockOptions {
  readonly clock: Clock;
  readonly store: Pick<Store, 'directory'>;
  readonly logger: Logger;
}

const ORIGIN = localOrigin({ kind: 'gateway', name: 'refused credentials' });

/**
 * Blocks a channel whose credentials were refused. Routing stops using it at once; storing the block makes it permanent and informs the
 * other nodes.
 */
export async function blockRefusedChannel(
  { clock, store, logger }: BlockOptions,
  target: AskedTarget,
  reason: string,
): Promise<void> {
  const { channel, health } = target;
  if (health.channel.block !== null) return;
  const made = { atMs: clock.nowMs(), reason };
  health.channel.block = made;
  logger.error(
    { channelId: channel.id, reason, remedy: `renew them, or run "switchyard channels enable ${channel.id}"` },
    "the provider refused the channel's credentials: blocked until they are renewed",
  );
  try {
    await blockChannel(auditedDirectory(store.directory, { origin: ORIGIN, clock }), channel, made);
  } catch (error) {
    logger.error({ channelId: channel.id, error: String(error) }, 'the block of a channel could not be stored');
  }
}
