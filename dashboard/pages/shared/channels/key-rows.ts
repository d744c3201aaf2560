import type { Channel, UpdateChannelRequest, UpstreamKey } from '../../../api/schema.ts';
import { numberSaid, said } from '../written.ts';

export const CAP_PERIODS = ['day', 'month', 'total'] as const;

/** One of several keys of a channel in its form; input stays text. */
export interface KeyRow {
  /** The name of the stored key; empty for a new one. */
  readonly stored: string;
  /** The end of the stored key; empty for a new one. */
  readonly preview: string;
  readonly name: string;
  /** Empty to keep the stored key. */
  readonly key: string;
  readonly weight: string;
  readonly enabled: boolean;
  /** No cap if `usd` is empty. */
  readonly spend_cap: {
    readonly usd: string;
    readonly per: (typeof CAP_PERIODS)[number];
    readonly time_zone: string;
  };
}

export const NEW_KEY: KeyRow = {
  ...{ stored: '', preview: '', name: '', key: '', weight: '', enabled: true },
  spend_cap: { usd: '', per: 'month', time_zone: '' },
};

export function keyRowsOf(keys: Channel['api_keys']): KeyRow[] {
  return (keys ?? []).map(keyRowOf);
}

function keyRowOf({ name, key_preview: preview, weight, enabled, spend_cap: cap }: UpstreamKey): KeyRow {
  return {
    ...{ stored: name, preview: preview ?? '', name, key: '', weight: String(weight), enabled },
    spend_cap: cap === null ? NEW_KEY.spend_cap : { ...cap },
  };
}

/** Returns the keys in the API's form. A stored key that was not typed again is left out, so that it stays. */
export function keysSaid(rows: readonly KeyRow[]): NonNullable<UpdateChannelRequest['api_keys']> {
  return rows.map(({ stored, name, key, weight, enabled, spend_cap: { usd, per, time_zone: zone } }) => {
    const amount = said(usd);
    const secret = said(key);
    const timeZone = per === 'total' ? null : said(zone);
    return {
      name: name.trim(),
      ...(stored !== '' && stored !== name.trim() && { rename_from: stored }),
      ...(secret !== null && { key: secret }),
      weight: numberSaid(weight),
      enabled,
      spend_cap: amount === null ? null : { usd: amount, per, ...(timeZone !== null && { time_zone: timeZone }) },
    };
  });
}

/** Returns the place of the row that takes the only key that the channel has now, if it has one: the first without a key of its own. */
export function heirOf(rows: readonly KeyRow[]): number {
  return rows.findIndex(({ stored, key }) => stored === '' && key.trim() === '');
}
