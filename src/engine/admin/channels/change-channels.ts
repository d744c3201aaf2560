import type { Channel } from '../../../domain/catalog/channel.ts';
import { channelScope, type DirectoryScope, type DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import type { ConfiguredChannel } from '../configuration/configuration.ts';
import { differences } from '../differences.ts';
import { refuseDeclared } from '../owned-elsewhere.ts';
import { channelWords } from '../schema/channel.ts';
import { withChange } from '../schema/check-input.ts';
import type { Providers } from '../schema/providers.ts';
import { text } from '../schema/unchecked.ts';
import { standingOf } from './channel-standing.ts';
import { checkedChannel, requireOwner } from './create-channel.ts';
import { findChannel } from './find-channel.ts';
import { modelsOnlyIn, rivalScope } from './set-channel-enabled.ts';

export interface ChangedChannel {
  readonly channel: Channel;
  /** The fields whose value has changed. If empty, nothing was written. */
  readonly changed: readonly string[];
}

export const FIXED = { id: 'requests and health are recorded under it; create another channel' };

export interface ChangeOptions {
  /** Restricts the change to channels of this account. */
  readonly accountId?: string | null;
  /** Throws an `AdminError` for a change that this caller must not make. Called within the transaction. */
  readonly refuse?: (before: ConfiguredChannel, after: ConfiguredChannel) => void;
}

/**
 * Changes some fields of a channel: each is replaced as a whole, `null` resets one to its default. A change of the provider, address, key or
 * settings lifts a block. A channel from the environment becomes the operator's own. Throws `AdminError` for an invalid field, an unknown
 * channel, and one that the configuration file declares.
 *
 * @param change in the form of a configuration's `channels`
 */
export async function changeChannel(
  store: DirectoryStore,
  providers: Providers,
  id: string,
  change: unknown,
  { accountId = null, refuse }: ChangeOptions = {},
): Promise<ChangedChannel> {
  return store.write(scopeOf(id, accountId, change), (writer) => {
    const rows = writer.read();
    const before = findChannel(rows.channels, id, accountId);
    refuseDeclared('channel', before);
    const wanted = checkedChannel(providers, withChange(channelWords(before), change, FIXED));
    const changed = differences(channelWords(before), channelWords(wanted));
    if (changed.length === 0) return { channel: before, changed };
    refuse?.(before, wanted);
    requireOwner(wanted, rows);
    const channel: Channel = { ...wanted, ...standingOf(before, wanted), origin: 'operator' };
    writer.putChannel(channel);
    return { channel, changed };
  });
}

/** Reads the owner that a change names, too. An invalid owner is reported with the rest of the input. */
function scopeOf(id: string, accountId: string | null, change: unknown): DirectoryScope {
  const scope = channelScope(id, accountId);
  const owner = text(change, 'owner');
  return owner === undefined ? scope : { ...scope, accounts: [owner] };
}

export interface DeletedChannel {
  /** `false` if it had been deleted before. */
  readonly wasThere: boolean;
  /** The public models that no other channel in use (enabled, not blocked) serves to all accounts that could use this one. */
  readonly onlyHere: readonly string[];
}

/**
 * Deletes a channel; requests in flight may finish. Throws `AdminError` for one that comes from the configuration file or the environment,
 * since the next start would restore it.
 */
export async function deleteChannel(
  store: DirectoryStore,
  id: string,
  accountId: string | null = null,
): Promise<DeletedChannel> {
  return store.write(rivalScope(accountId), (writer) => {
    const { channels } = writer.read();
    const channel = channels.find((one) => one.id === id && (accountId === null || one.owner === accountId));
    if (channel === undefined) return { wasThere: false, onlyHere: [] };
    refuseDeclared('channel', channel);
    if (channel.origin === 'environment') {
      throw new AdminError(
        'conflict',
        'channel',
        `"${id}" comes from the environment and would return at the next start: disable it, or remove its key there`,
      );
    }
    writer.deleteChannel(id);
    return { wasThere: true, onlyHere: modelsOnlyIn(channel, channels) };
  });
}
