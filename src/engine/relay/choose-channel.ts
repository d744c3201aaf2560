import { Failure } from '../../domain/failure/failure.ts';
import { RELAYED_APIS, type RelayedApiName } from '../../providers/shared/relayed-apis.ts';
import type { ObjectMemory } from '../directory/object-memory.ts';
import type { RelayChannel } from '../directory/relay-channel.ts';
import { upstreamModelAt } from './named-model.ts';

/** The header in which a client names one of its account's own channels. */
export const CHANNEL_HEADER = 'x-switchyard-channel';

export interface Choice {
  readonly accountId: string;
  readonly api: RelayedApiName;
  /** The account's own channels, in their order. */
  readonly channels: readonly RelayChannel[];
  /** The ids that the call names. */
  readonly ids: readonly string[];
  readonly header: string | null;
  readonly model: string | null;
}

/**
 * Chooses the channel of a call: the one that gave the account the named object, else the one in the header, else the first that serves the
 * model, else the first of all. Only the account's own channels are considered.
 */
export async function chooseChannel(
  objects: Pick<ObjectMemory, 'find'>,
  { accountId, api, channels, ids, header, model }: Choice,
): Promise<RelayChannel | Failure> {
  const able = channels.filter((one) => one.addressOf(api) !== null);
  const [first] = able;
  if (first === undefined) return noChannel(api);
  const named = header === null || header === '' ? null : able.find(({ channel }) => channel.id === header);
  if (named === undefined) return wrongHeader(able);
  const serving = model === null ? able : able.filter(({ channel }) => upstreamModelAt(channel, model) !== null);
  if (able.length === 1) return serving.length === 1 ? first : notServed(model ?? '');
  const origins = ids.length === 0 ? new Map() : await objects.find(accountId, ids);
  const issuers = new Set(ids.map((id) => origins.get(id)?.place));
  const issuer = able.find(({ place }) => issuers.has(place));
  const chosen = issuer ?? named ?? serving[0];
  return chosen === undefined || !serving.includes(chosen) ? notServed(model ?? '') : chosen;
}

/** Returns the failure for an account without a suitable channel. It names the missing channel, since the account can get one. */
export function noChannel(api: RelayedApiName): Failure {
  const { path, format } = RELAYED_APIS[api];
  const version = format === 'gemini' ? 'v1beta' : 'v1';
  return new Failure('object_not_found', {
    message: `/${version}/${path} is relayed only to an account's own channel, and this account has none whose provider supports it.`,
    kind: 'no_own_channel',
    hint: 'Ask an admin for a channel with your own key for such a provider: `owner` in its configuration names the account.',
  });
}

function wrongHeader(able: readonly RelayChannel[]): Failure {
  const names = able.slice(0, 10).map(({ channel }) => `\`${channel.id}\``);
  return new Failure('invalid_value', {
    message: `The header \`${CHANNEL_HEADER}\` must name one of your own channels with this API: ${names.join(', ')}.`,
    param: CHANNEL_HEADER,
  });
}

function notServed(model: string): Failure {
  return new Failure('model_not_found', {
    message: `None of your own channels with this API serves the model \`${model.slice(0, 256)}\`.`,
    param: 'model',
    hint: 'Name a model that is configured on your channel.',
  });
}
