import { z } from 'zod';
import { CACHE_STRATEGIES, type CacheOverrides, policyOf } from '../../../domain/cache/cache.ts';
import { flag, integer, MAP, number, oneOf } from '../../../providers/shared/file-fields.ts';
import { type CacheSettings, DEFAULT_CACHE } from '../../settings/settings.ts';
import { modelId } from './fields.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const MINUTE_MS = 60_000;

/** A terabyte, which is more than any node has, and small enough to reject a mistake in the unit. */
const MOST_MIB = 1_048_576;
const mebibytes = (least: number) =>
  integer(`must be a whole number of MiB from ${least} to ${MOST_MIB}`, least, MOST_MIB);

const semanticPolicy = {
  certainty: number('must be a number from 0 to 1', 0, 1).nullish(),
  tools: flag.nullish(),
  media: flag.nullish(),
};

const policy = {
  strategy: oneOf(CACHE_STRATEGIES).nullish(),
  ttl_seconds: integer('must be a whole number of seconds from 1 to 2592000', 1, 2_592_000).nullish(),
  max_temperature: number('must be a number from 0 to 2', 0, 2).nullish(),
  coalesce: flag.nullish(),
};

export const semanticOverridesSchema = z.strictObject(semanticPolicy, MAP);

/** The settings that an account or a model overrides, in the form of the section `cache`. */
export const cacheOverridesSchema = z.strictObject({ ...policy, semantic: semanticOverridesSchema.nullish() }, MAP);

export const semanticSchema = z.strictObject(
  { embeddings: modelId.nullish(), index_mb: mebibytes(1).nullish(), ...semanticPolicy },
  MAP,
);

export const feedbackSchema = z.strictObject(
  {
    keys: integer('must be a whole number from 1 to 1000', 1, 1_000).nullish(),
    block_minutes: integer('must be a whole number of minutes from 1 to 43200', 1, 43_200).nullish(),
  },
  MAP,
);

export const cacheSchema = z
  .strictObject(
    {
      memory_mb: mebibytes(1).nullish(),
      disk_mb: mebibytes(0).nullish(),
      redis_mb: mebibytes(0).nullish(),
      max_entry_kb: integer('must be a whole number of KiB from 1 to 102400', 1, 102_400).nullish(),
      encrypt: flag.nullish(),
      shared: flag.nullish(),
      hit_price_percent: integer('must be a whole number from 0 to 100', 0, 100).nullish(),
      ...policy,
      semantic: semanticSchema.nullish(),
      feedback: feedbackSchema.nullish(),
    },
    MAP,
  )
  .superRefine(({ max_entry_kb, memory_mb }, context) => {
    const { memoryBytes, maxEntryBytes } = sizesOf({ max_entry_kb, memory_mb });
    if (maxEntryBytes <= memoryBytes) return;
    const message = `must be at most memory_mb, which is ${memoryBytes / KIB} KiB`;
    context.addIssue({ code: 'custom', path: ['max_entry_kb'], message });
  });

type FileCache = z.output<typeof cacheSchema>;

export function cacheFrom(cache: FileCache): CacheSettings {
  const { semantic = null, feedback = null, disk_mb: disk = null, redis_mb: redis = null } = cache;
  const { index_mb: index = null } = semantic ?? {};
  const { block_minutes: block = null } = feedback ?? {};
  return {
    ...sizesOf(cache),
    diskBytes: disk === null ? DEFAULT_CACHE.diskBytes : disk * MIB,
    redisBytes: redis === null ? DEFAULT_CACHE.redisBytes : redis * MIB,
    encrypt: cache.encrypt ?? DEFAULT_CACHE.encrypt,
    isShared: cache.shared ?? DEFAULT_CACHE.isShared,
    hitPricePercent: cache.hit_price_percent ?? DEFAULT_CACHE.hitPricePercent,
    policy: policyOf(DEFAULT_CACHE.policy, cacheOverridesFrom(cache), null),
    semantic: {
      embeddings: semantic?.embeddings ?? DEFAULT_CACHE.semantic.embeddings,
      indexBytes: index === null ? DEFAULT_CACHE.semantic.indexBytes : index * MIB,
    },
    feedback: {
      keys: feedback?.keys ?? DEFAULT_CACHE.feedback.keys,
      blockMs: block === null ? DEFAULT_CACHE.feedback.blockMs : block * MINUTE_MS,
    },
  };
}

function sizesOf({ memory_mb: memory = null, max_entry_kb: entry = null }: FileCache) {
  return {
    memoryBytes: memory === null ? DEFAULT_CACHE.memoryBytes : memory * MIB,
    maxEntryBytes: entry === null ? DEFAULT_CACHE.maxEntryBytes : entry * KIB,
  };
}

/** Returns the overrides, or `null` if nothing is set. */
export function cacheOverridesFrom(cache: z.output<typeof cacheOverridesSchema> | null): CacheOverrides | null {
  const { strategy, ttl_seconds, max_temperature, coalesce, semantic } = cache ?? {};
  const { certainty, tools, media } = semantic ?? {};
  const overrides: CacheOverrides = {
    ...(strategy != null && { strategy }),
    ...(ttl_seconds != null && { ttlMs: ttl_seconds * 1_000 }),
    ...(max_temperature != null && { maxTemperature: max_temperature }),
    ...(coalesce != null && { coalesce }),
    ...(certainty != null && { certainty }),
    ...(tools != null && { semanticTools: tools }),
    ...(media != null && { semanticMedia: media }),
  };
  return Object.keys(overrides).length === 0 ? null : overrides;
}

/** Returns the overrides of an account or a model in the form of their schema. */
export function cacheOverrideFields(overrides: CacheOverrides) {
  const { strategy, ttlMs, maxTemperature, coalesce, certainty, semanticTools, semanticMedia } = overrides;
  const semantic = {
    ...(certainty !== undefined && { certainty }),
    ...(semanticTools !== undefined && { tools: semanticTools }),
    ...(semanticMedia !== undefined && { media: semanticMedia }),
  };
  return {
    ...(strategy !== undefined && { strategy }),
    ...(ttlMs !== undefined && { ttl_seconds: ttlMs / 1_000 }),
    ...(maxTemperature !== undefined && { max_temperature: maxTemperature }),
    ...(coalesce !== undefined && { coalesce }),
    ...(Object.keys(semantic).length > 0 && { semantic }),
  };
}
