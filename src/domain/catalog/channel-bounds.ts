import type { Channel } from './channel.ts';

/* What is stored for one account is read by the process that serves all of them, so it has bounds of its own, besides those of the input. */

/** The most models of one channel; the largest catalog of a provider has some hundreds. */
export const MOST_CHANNEL_MODELS = 2_000;
/** The most PRIVATE channels of one account that are served, whatever its quota is. */
export const MOST_SERVED_CHANNELS = 200;
/** The most model ids over all PRIVATE channels of one account that are served, whatever its quota is. */
export const MOST_SERVED_MODELS = 10_000;

export interface BoundedChannels {
  /** All of them, with those of their models that are served. */
  readonly channels: readonly Channel[];
  /** The ids of those that have further models. */
  readonly cut: readonly string[];
}

/**
 * The PRIVATE channels of one account as far as they are served: those in use come first, in the order of their ids. What exceeds the
 * bounds was stored before there were any, and is left out.
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
