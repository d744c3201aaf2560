import type { ChannelBlock } from '../../../domain/catalog/channel-block.ts';
import type { SpendCap, UpstreamKey } from '../../../domain/catalog/upstream-key.ts';
import { fromJson } from './encoding.ts';

/** The credentials of a channel's keys, by the keys' places in the list. */
export type Credentials = readonly (string | null)[];

interface StoredKey {
  readonly id: string | null;
  readonly name: string;
  readonly weight: number;
  readonly enabled: boolean;
  readonly cap: { readonly nano: string; readonly per: SpendCap['per']; readonly zone: string } | null;
  readonly block: ChannelBlock | null;
  readonly resetAtMs: number | null;
}

/** Returns the keys without their credentials. */
export function toKeysJson(keys: readonly UpstreamKey[]): string {
  const stored = keys.map(({ id, name, weight, enabled, spendCap, block, resetAtMs }): StoredKey => {
    const cap =
      spendCap === null ? null : { nano: String(spendCap.amountNanoUsd), per: spendCap.per, zone: spendCap.timeZone };
    return { id, name, weight, enabled, cap, block, resetAtMs };
  });
  return JSON.stringify(stored);
}

export function fromKeysJson(json: string, credentials: Credentials): readonly UpstreamKey[] {
  return fromJson<StoredKey[]>(json).map(({ cap, ...key }, at) => ({
    ...key,
    key: credentials[at] ?? null,
    spendCap: cap === null ? null : { amountNanoUsd: BigInt(cap.nano), per: cap.per, timeZone: cap.zone },
  }));
}

/** Returns the credentials as one text, to be sealed. */
export function credentialsOf(keys: readonly UpstreamKey[]): string {
  return JSON.stringify(keys.map(({ key }) => key));
}

export function fromCredentials(text: string): Credentials {
  return fromJson<(string | null)[]>(text);
}
