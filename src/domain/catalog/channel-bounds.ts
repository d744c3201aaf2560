import type { Channel } from './channel.ts';

/*
 * One account's stored objects are read by the process that serves all accounts, so they have limits in addition to those of the
 * input.
 */

/** The most models of one channel; a provider's largest catalog has a few hundred. */
export const MOST_CHANNEL_MODELS = 2_000;
/** The most PRIVATE channels of one account that are served, whatever its quota. */
export const MOST_SERVED_CHANNELS = 200;
/** The most model ids of all PRIVATE channels of one account that are served, whatever its quota. */
export const MOST_SERVED_MODELS = 10_000;

export interface BoundedChannels {
  /** All of the channels, reduced to the models that are served. */
  readonly channels: readonly Channel[];
  /** The ids of the channels that lost models. */
  readonly cut: readonly string[];
}

/**
 * Returns one account's PRIVATE channels, reduced to what is served: channels in use come first, ordered by id. Anything beyond
 * the limits was stored before these existed, and is left out.
 */
export function withinBounds(channels: readonly Channel[]): BoundedChannels {
  const cut: string[] = [];
  const bounded = new Map<string, Channel>();
  let rooms = MOST_SERVED_CHANNELS;
  let models = MOST_SERVED_MODELS;
  for (const channel of [...channels].sort((a, b) => Number(b.enabled) - Number(a.enabled))) {
    const most = rooms > 0 ? Math.min(MOST_CHANNEL_MODELS, models) : 0;
    const served = firstOf(channel.models, most);
    if (served !== channel.models) cut.push(channel.id);
    bounded.set(channel.id, served === channel.models ? channel : { ...channel, models: served });
    rooms -= 1;
    models -= Object.keys(served).length;
  }
  return { channels: channels.map((channel) => bounded.get(channel.id) ?? channel), cut };
}

function firstOf(models: Channel['models'], most: number): Channel['models'] {
  const ids = Object.keys(models);
  return ids.length <= most ? models : Object.fromEntries(Object.entries(models).slice(0, most));
}
