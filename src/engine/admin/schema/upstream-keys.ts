import { z } from 'zod';
import {
  type ConfiguredUpstreamKey,
  MOST_UPSTREAM_KEYS,
  SPEND_CAP_PERIODS,
  type SpendCap,
  type UpstreamKey,
} from '../../../domain/catalog/upstream-key.ts';
import { DEFAULT_TIME_ZONE } from '../../../domain/money/budget.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import type { ProviderManifest } from '../../../providers/manifest.ts';
import { flag, listOf, MAP, number, oneOf, text } from '../../../providers/shared/file-fields.ts';
import type { FieldPath, Problem } from '../admin-error.ts';
import { channelKey, holdsCredentialsFile, noCredentialsFile } from './channel-key.ts';
import { amount, timeZone } from './fields.ts';
import { duplicates, field, list, text as textIn } from './unchecked.ts';

const keyName = text(
  'must be 1 to 64 lower-case letters, digits, ".", "_" or "-", beginning with a letter or digit',
  /^[a-z0-9][a-z0-9._-]{0,63}$/,
);

export const spendCapSchema = z.strictObject(
  {
    usd: amount.refine((nanoUsd) => nanoUsd > 0n, {
      error: 'must be more than 0: use enabled: false for a key that must not be used',
    }),
    per: oneOf(SPEND_CAP_PERIODS),
    time_zone: timeZone.nullish(),
  },
  MAP,
);

/** One of the upstream keys of a channel (docs/upstream-keys.md). */
export const upstreamKeySchema = z.strictObject(
  {
    name: keyName,
    key: channelKey.nullish(),
    weight: number('must be a number from 0 to 1000000', 0, 1_000_000).nullish(),
    enabled: flag.nullish(),
    spend_cap: spendCapSchema.nullish(),
    rename_from: keyName.nullish(),
  },
  MAP,
);

export const upstreamKeysSchema = listOf(upstreamKeySchema, 'keys', MOST_UPSTREAM_KEYS).min(1, {
  error: 'must have at least one key; leave it out to use api_key',
});

type FileKey = z.output<typeof upstreamKeySchema>;

/** Returns a checked key with every default filled in. */
export function upstreamKeyFrom({
  name,
  key,
  weight,
  enabled,
  spend_cap: cap,
  rename_from: from,
}: FileKey): ConfiguredUpstreamKey {
  return {
    name,
    key: key ?? null,
    weight: weight ?? 1,
    enabled: enabled ?? null,
    spendCap:
      cap == null ? null : { amountNanoUsd: cap.usd, per: cap.per, timeZone: cap.time_zone ?? DEFAULT_TIME_ZONE },
    renameFrom: from ?? null,
  };
}

/** Returns a key in the form of its schema, including the credential, so the result must never be shown. */
export function upstreamKeyFields({ name, key, weight, enabled, spendCap }: ConfiguredUpstreamKey | UpstreamKey) {
  return {
    name,
    key,
    weight,
    enabled: enabled ?? true,
    spend_cap: spendCap === null ? null : spendCapFields(spendCap),
  };
}

export function spendCapFields({ amountNanoUsd, per, timeZone: zone }: SpendCap) {
  return { usd: formatNanoUsd(amountNanoUsd), per, time_zone: zone };
}

/** Returns the problems that no single field of `api_keys` shows. */
export function upstreamKeyProblems(
  channel: unknown,
  path: FieldPath,
  manifest: ProviderManifest | undefined,
): Problem[] {
  const written = field(channel, 'api_keys');
  if (written == null) return [];
  const place = [...path, 'api_keys'];
  const keys = list(written);
  const problems = duplicates(keys.map((key, at) => [[...place, at, 'name'], textIn(key, 'name')]));
  problems.push(...duplicates(keys.map((key, at) => [[...place, at, 'rename_from'], textIn(key, 'rename_from')])));
  if ((field(channel, 'api_key') ?? '') !== '') {
    problems.push({
      path: place,
      message: 'cannot be set together with api_key: leave one of them out',
      isAboutValue: false,
    });
  }
  for (const [at, key] of keys.entries()) {
    const secret = field(key, 'key');
    if ((secret ?? '') === '') {
      const message = 'is required for a key that the channel does not have yet';
      problems.push({ path: [...place, at, 'key'], message, isAboutValue: false });
    } else if (manifest !== undefined && manifest.takesCredentialsFile !== true && holdsCredentialsFile(secret)) {
      problems.push({ path: [...place, at, 'key'], message: noCredentialsFile(manifest), isAboutValue: true });
    }
  }
  problems.push(...duplicates(keys.map((key, at) => [[...place, at, 'key'], textIn(key, 'key')])));
  return problems;
}
