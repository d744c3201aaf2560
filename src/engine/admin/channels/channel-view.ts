import type { Channel } from '../../../domain/catalog/channel.ts';
import { channelWords } from '../schema/channel.ts';
import { isCredentialsFile } from '../schema/channel-key.ts';
import { isoTime, timeOrNull } from '../schema/iso-time.ts';
import { managedBy } from '../view-fields.ts';
import type { HealthFigures, ListedChannel } from './read-channels.ts';

/** Returns a channel with its learned health as JSON; times are RFC 3339 in UTC. Only the end of its key is shown. */
export function channelView(listed: ListedChannel) {
  const { channel } = listed;
  const { block } = channel;
  const { api_key: _secret, models: _models, ...words } = channelWords(channel);
  return {
    ...words,
    api_key_preview: keyPreview(channel),
    origin: channel.origin,
    managed_by: managedBy(channel.origin),
    enabled: channel.enabled,
    block: block === null ? null : { at: isoTime(block.atMs), reason: block.reason },
    reset_at: timeOrNull(channel.resetAtMs),
    ...figuresView(listed),
    models_left_out: listed.isCut,
    models: listed.models.map((model) => ({
      id: model.publicId,
      upstream_model: model.upstreamModel,
      ...figuresView(model),
      updated_at: timeOrNull(model.updatedAtMs),
    })),
  };
}

function figuresView({ state, requests, failures, firstByteMs, lastFailure }: HealthFigures) {
  return {
    state: state.kind,
    resting_until: state.kind === 'resting' ? isoTime(state.untilMs) : null,
    requests,
    failures,
    first_byte_ms: firstByteMs === null ? null : Math.round(firstByteMs),
    last_failure: lastFailure?.kind ?? null,
    last_failure_at: timeOrNull(lastFailure?.atMs ?? null),
  };
}

/** Shorter keys show no characters at all. */
const SHOWN_OF_LENGTH = 20;

export function keyPreview({ apiKey }: Channel): string | null {
  if (apiKey === null) return null;
  // The end of a credentials file is meaningless, or part of a secret.
  if (isCredentialsFile(apiKey)) return '{…}';
  return apiKey.length < SHOWN_OF_LENGTH ? '…' : `…${apiKey.slice(-4)}`;
}
