import type { Channel } from '../../../domain/catalog/channel.ts';
import type { DirectoryRows, DirectoryStore } from '../../ports/directory-store.ts';
import { AdminError } from '../admin-error.ts';
import type { ConfiguredChannel } from '../configuration/configuration.ts';
import { refuseOther } from '../differences.ts';
import { channelFrom, channelSchema, channelWords } from '../schema/channel.ts';
import { channelProblems } from '../schema/channel-problems.ts';
import { checkInput } from '../schema/check-input.ts';
import type { Providers } from '../schema/providers.ts';
import { standingOf } from './channel-standing.ts';

export interface CreatedChannel {
  readonly channel: Channel;
  /** Whether it existed with the same content, so that nothing was changed. */
  readonly alreadyThere: boolean;
}

/**
 * Makes a channel. Idempotent: the same call again changes nothing. Throws `AdminError` for other content or an invalid field. The sandbox,
 * which exists only without other channels, is removed by the next `syncSandboxChannel`.
 *
 * @param input in the form of a configuration's `channels`
 */
export async function createChannel(
  store: DirectoryStore,
  providers: Providers,
  input: unknown,
): Promise<CreatedChannel> {
  const wanted = checkedChannel(providers, input);
  const accounts = wanted.owner === null ? [] : [wanted.owner];
  return store.write({ serving: false, accounts, channelIds: [wanted.id] }, (writer) => {
    const rows = writer.read();
    const existing = rows.channels.find(({ id }) => id === wanted.id);
    if (existing !== undefined) {
      // The content of another owner's channel must not be revealed.
      if (existing.owner !== wanted.owner) throw taken(existing.id);
      const label = existing.origin === 'environment' ? 'channel of the environment' : 'channel';
      refuseOther(`${label} "${existing.id}"`, channelWords(existing), channelWords(wanted));
      return { channel: existing, alreadyThere: true };
    }
    requireOwner(wanted, rows);
    const channel: Channel = { ...wanted, ...standingOf(undefined, wanted), origin: 'operator' };
    writer.putChannel(channel);
    return { channel, alreadyThere: false };
  });
}

function taken(id: string): AdminError {
  return new AdminError('already_exists', 'id', `"${id}" is taken: choose another id, or leave it out`);
}

/** Parses a channel with its schema and its provider's checks. Throws `AdminError`. */
export function checkedChannel(providers: Providers, input: unknown): ConfiguredChannel {
  const meaning = (written: unknown) => channelProblems(written, [], providers);
  return channelFrom(checkInput(channelSchema, ['channels', 0], input, meaning), providers);
}

/** Throws `AdminError` unless the owner of a private channel exists. */
export function requireOwner({ owner }: ConfiguredChannel, { accounts }: Pick<DirectoryRows, 'accounts'>): void {
  if (owner === null || accounts.some(({ id }) => id === owner)) return;
  throw new AdminError('invalid_value', 'owner', `must be an account id: there is no account "${owner}"`);
}
