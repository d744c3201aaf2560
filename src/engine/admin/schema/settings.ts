import { z } from 'zod';
import { parseAddressRange } from '../../../domain/access/network-address.ts';
import { flag, integer, listOf, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { type ConfiguredMedia, DEFAULT_MEDIA_SETTINGS } from '../../ports/media-fetcher.ts';
import { DEFAULT_MEDIA_STORE, type MediaStoreSettings, type S3Place } from '../../ports/media-store.ts';
import type { S3Bucket } from '../../ports/s3-bucket.ts';
import {
  type BillingSettings,
  COUNTER_FALLBACKS,
  DEFAULT_BILLING,
  DEFAULT_LISTING,
  DEFAULT_ROUTING,
  DEFAULT_USAGE,
  END_USER_STORAGES,
  type ListingSettings,
  type RoutingSettings,
  type UsageSettings,
} from '../../settings/settings.ts';
import type { ServerSettings } from '../configuration/configuration.ts';
import { queueFrom, queueSchema } from './channel.ts';
import { amount, LONGEST_TIMEOUT_MS, milliseconds, strategy } from './fields.ts';

/* The settings of the gateway as a whole. */

export const routingSchema = z.strictObject(
  {
    strategy: strategy.nullish(),
    max_attempts: integer('must be a whole number from 1 to 20', 1, 20).nullish(),
    deadline_ms: milliseconds.nullish(),
    cost_in_answers: flag.nullish(),
    queue: queueSchema.nullish(),
  },
  MAP,
);

export const billingSchema = z.strictObject(
  {
    assumed_output_tokens: integer('must be a whole number from 1 to 10000000', 1, 10_000_000).nullish(),
    private_channel_fee_usd: amount.nullish(),
    when_counters_are_away: oneOf(COUNTER_FALLBACKS).nullish(),
  },
  MAP,
);

export const usageSchema = z.strictObject({ end_users: oneOf(END_USER_STORAGES).nullish() }, MAP);

/** These are members of the Model object already. */
const MODEL_MEMBERS = ['id', 'object', 'created', 'owned_by'];
/** Setting a member with one of these names would change the object itself. */
const SPECIAL_MEMBERS = ['__proto__', 'constructor', 'prototype'];

export const listingSchema = z.strictObject(
  {
    vendor_key: text('must be a word of 1 to 64 letters, digits, "_" and "-"', /^[A-Za-z_][A-Za-z0-9_-]{0,63}$/)
      .refine((key) => ![...MODEL_MEMBERS, ...SPECIAL_MEMBERS].includes(key), {
        error: `must not be one of ${[...MODEL_MEMBERS, ...SPECIAL_MEMBERS].join(', ')}`,
      })
      .nullish(),
    minimum_samples: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    refresh_ms: integer('must be a number of milliseconds from 1000 to 86400000', 1_000, LONGEST_TIMEOUT_MS).nullish(),
  },
  MAP,
);

const heldBytes = integer('must be a whole number of bytes from 65536 to 1099511627776', 65_536, 2 ** 40);

const sharedBytes = integer('must be 0 or a whole number of bytes from 16777216 to 1099511627776', 0, 2 ** 40).refine(
  (bytes) => bytes === 0 || bytes >= 2 ** 24,
  { error: 'must be 0 or a whole number of bytes from 16777216 to 1099511627776' },
);

export const addressRange = z
  .string({ error: 'must be a range of addresses such as "10.0.0.0/8" or "fd00::/8"' })
  .transform((value, context) => {
    const parsed = parseAddressRange(value);
    if (parsed.ok) return parsed.range;
    context.addIssue({ code: 'custom', message: parsed.problem });
    return z.NEVER;
  });

const ORIGIN = 'must be an origin such as "https://app.example.com", without a path';
const origin = z.string({ error: ORIGIN }).refine((value) => URL.canParse(value) && new URL(value).origin === value, {
  error: ORIGIN,
});

/** All origins, or those of a list. */
const corsOrigins = z.union([z.literal('*'), listOf(origin, 'origins')], {
  error: 'must be "*", or a list of origins such as "https://app.example.com"',
});

const ADDRESS = 'must be an address such as "https://ai.example.com", without a query';
/** The address without a slash at its end. */
const address = z
  .string({ error: ADDRESS })
  .refine((value) => URL.canParse(value) && /^https?:\/\/[^?#\s"<>]{1,500}$/.test(value), { error: ADDRESS })
  .transform((value) => value.replace(/\/+$/, ''));

export const serverSchema = z.strictObject(
  {
    max_body_bytes: integer('must be a whole number of bytes from 1024 to 1073741824', 1024, 1_073_741_824).nullish(),
    max_upload_bytes: integer(
      'must be a whole number of bytes from 1024 to 10737418240',
      1024,
      10_737_418_240,
    ).nullish(),
    body_memory_bytes: integer(
      'must be a whole number of bytes of at least 1048576',
      1_048_576,
      Number.MAX_SAFE_INTEGER,
    ).nullish(),
    upload_disk_bytes: integer(
      'must be a whole number of bytes of at least 1048576',
      1_048_576,
      Number.MAX_SAFE_INTEGER,
    ).nullish(),
    drain_ms: integer('must be a number of milliseconds from 0 to 600000', 0, 600_000).nullish(),
    shutdown_grace_ms: integer('must be a number of milliseconds from 0 to 3600000', 0, 3_600_000).nullish(),
    shutdown_write_ms: integer('must be a number of milliseconds from 1000 to 600000', 1_000, 600_000).nullish(),
    metrics_token: text('must be 16 to 200 characters without spaces', /^[\x21-\x7e]{16,200}$/).nullish(),
    trusted_proxies: listOf(addressRange, 'ranges of addresses').nullish(),
    cors_origins: corsOrigins.transform((value) => (value === '*' ? value : new Set(value))).nullish(),
    wrong_keys_per_minute: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    management_requests_per_minute: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    anonymous_requests_per_minute: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    anonymous_requests_in_flight: integer('must be a whole number from 1 to 100000', 1, 100_000).nullish(),
    ping_interval_ms: integer('must be 0 (off) or a number of milliseconds from 1000 to 60000', 0, 60_000)
      .refine((ms) => ms === 0 || ms >= 1_000, {
        error: 'must be 0 (off) or a number of milliseconds from 1000 to 60000',
      })
      .nullish(),
    max_sockets_per_account: integer('must be a whole number from 0 to 100000', 0, 100_000).nullish(),
    max_held_answer_bytes: heldBytes.nullish(),
    shared_state_bytes: sharedBytes.nullish(),
    public_url: address.nullish(),
    max_responses_per_account: integer('must be a whole number from 1 to 1000000000', 1, 1_000_000_000).nullish(),
    max_response_bytes_per_account: heldBytes.nullish(),
  },
  MAP,
);

export const mediaSchema = z.strictObject(
  {
    allow_http: flag.nullish(),
    allowed_ranges: listOf(addressRange, 'ranges of addresses').nullish(),
    denied_ranges: listOf(addressRange, 'ranges of addresses').nullish(),
    max_bytes: integer('must be a whole number of bytes from 1024 to 1073741824', 1024, 1_073_741_824).nullish(),
    max_concurrent: integer('must be a whole number from 1 to 10000', 1, 10_000).nullish(),
    max_urls: integer('must be a whole number from 1 to 10000', 1, 10_000).nullish(),
    max_held_bytes: heldBytes.nullish(),
    timeouts: z.strictObject({ connect_ms: milliseconds.nullish(), total_ms: milliseconds.nullish() }, MAP).nullish(),
  },
  MAP,
);

const mediaBytes = integer('must be a whole number of bytes from 1048576 to 1125899906842624', 2 ** 20, 2 ** 50);
export const s3Schema = z.strictObject(
  {
    endpoint: address.nullish(),
    public_endpoint: address.nullish(),
    bucket: text('must be the name of a bucket', /^[A-Za-z0-9][\w.-]{1,254}$/),
    region: text('must be a region such as "eu-central-1"', /^[\w-]{1,64}$/).nullish(),
    prefix: text(
      'must be a path such as "media/" of letters, digits, "_", "-", "." and "/"',
      /^[\w.-][\w./-]{0,199}$/,
    ).nullish(),
    access_key_id: text('must be 1 to 256 characters without spaces', /^[\x21-\x7e]{1,256}$/),
    secret_access_key: text('must be 1 to 1024 characters without spaces', /^[\x21-\x7e]{1,1024}$/),
    session_token: text('must be 1 to 8192 characters without spaces', /^[\x21-\x7e]{1,8192}$/).nullish(),
    links: oneOf(['presigned', 'gateway']).nullish(),
  },
  MAP,
);

const KINDS = ['folder', 's3', 'none'] as const;
const LONGEST_PRESIGNED_SECONDS = 604_800;

export const mediaStoreSchema = z
  .strictObject(
    {
      kind: oneOf(KINDS).nullish(),
      folder: text('must be the path of a folder', /^[^\p{Cc}]{1,1000}$/u).nullish(),
      s3: s3Schema.nullish(),
      link_seconds: integer('must be a whole number of seconds from 60 to 2592000', 60, 2_592_000).nullish(),
      max_bytes: mediaBytes.nullish(),
      max_bytes_per_account: mediaBytes.nullish(),
      min_free_bytes: integer('must be a whole number of bytes of at least 0', 0, 2 ** 50).nullish(),
    },
    MAP,
  )
  .superRefine((store, context) => {
    const isS3 = store.kind === 's3';
    const wrong = (field: string, message: string) => context.addIssue({ code: 'custom', path: [field], message });
    if (isS3 && !store.s3) wrong('kind', 'requires the section s3, with the bucket and its keys');
    if (!isS3 && store.s3) wrong('kind', 'must be s3 if s3 is set');
    if (store.s3?.links === 'presigned' && (store.link_seconds ?? 0) > LONGEST_PRESIGNED_SECONDS)
      wrong('link_seconds', 'must be at most 604800 (7 days) if s3.links is presigned');
  });

export function routingFrom(routing: z.output<typeof routingSchema>): RoutingSettings {
  return {
    strategy: routing.strategy ?? DEFAULT_ROUTING.strategy,
    maxAttempts: routing.max_attempts ?? DEFAULT_ROUTING.maxAttempts,
    deadlineMs: routing.deadline_ms ?? DEFAULT_ROUTING.deadlineMs,
    costInAnswers: routing.cost_in_answers ?? DEFAULT_ROUTING.costInAnswers,
    queue: queueFrom(routing.queue ?? {}),
  };
}

export function billingFrom(billing: z.output<typeof billingSchema>): BillingSettings {
  return {
    assumedOutputTokens: billing.assumed_output_tokens ?? DEFAULT_BILLING.assumedOutputTokens,
    privateChannelFeeNanoUsd: billing.private_channel_fee_usd ?? DEFAULT_BILLING.privateChannelFeeNanoUsd,
    whenCountersAreAway: billing.when_counters_are_away ?? DEFAULT_BILLING.whenCountersAreAway,
  };
}

export function usageFrom(usage: z.output<typeof usageSchema>): UsageSettings {
  return { endUsers: usage.end_users ?? DEFAULT_USAGE.endUsers };
}

export function listingFrom(listing: z.output<typeof listingSchema>): ListingSettings {
  return {
    vendorKey: listing.vendor_key ?? DEFAULT_LISTING.vendorKey,
    minimumSamples: listing.minimum_samples ?? DEFAULT_LISTING.minimumSamples,
    refreshMs: listing.refresh_ms ?? DEFAULT_LISTING.refreshMs,
  };
}

export function mediaFrom(media: z.output<typeof mediaSchema>): ConfiguredMedia {
  return {
    allowHttp: media.allow_http ?? DEFAULT_MEDIA_SETTINGS.allowHttp,
    allowedRanges: media.allowed_ranges ?? DEFAULT_MEDIA_SETTINGS.allowedRanges,
    deniedRanges: media.denied_ranges ?? DEFAULT_MEDIA_SETTINGS.deniedRanges,
    maxBytes: media.max_bytes ?? DEFAULT_MEDIA_SETTINGS.maxBytes,
    maxConcurrent: media.max_concurrent ?? DEFAULT_MEDIA_SETTINGS.maxConcurrent,
    maxUrls: media.max_urls ?? DEFAULT_MEDIA_SETTINGS.maxUrls,
    maxHeldBytes: media.max_held_bytes ?? DEFAULT_MEDIA_SETTINGS.maxHeldBytes,
    connectMs: media.timeouts?.connect_ms ?? DEFAULT_MEDIA_SETTINGS.connectMs,
    totalMs: media.timeouts?.total_ms ?? DEFAULT_MEDIA_SETTINGS.totalMs,
  };
}

export function mediaStoreFrom(store: z.output<typeof mediaStoreSchema>): MediaStoreSettings {
  const maxBytes = store.max_bytes ?? DEFAULT_MEDIA_STORE.maxBytes;
  const share = DEFAULT_MEDIA_STORE.maxBytesPerAccount / DEFAULT_MEDIA_STORE.maxBytes;
  return {
    kind: store.kind ?? DEFAULT_MEDIA_STORE.kind,
    folder: store.folder ?? null,
    s3: store.s3 ? s3From(store.s3) : null,
    linkSeconds: store.link_seconds ?? DEFAULT_MEDIA_STORE.linkSeconds,
    maxBytes,
    maxBytesPerAccount: store.max_bytes_per_account ?? Math.floor(maxBytes * share),
    minFreeBytes: store.min_free_bytes ?? DEFAULT_MEDIA_STORE.minFreeBytes,
  };
}

function s3From(s3: z.output<typeof s3Schema>): S3Place {
  return { ...bucketFrom(s3), publicEndpoint: s3.public_endpoint ?? null, links: s3.links ?? 'gateway' };
}

export function bucketFrom(s3: Omit<z.output<typeof s3Schema>, 'public_endpoint' | 'links'>): S3Bucket {
  return {
    endpoint: s3.endpoint ?? null,
    bucket: s3.bucket,
    region: s3.region ?? null,
    prefix: s3.prefix ? `${s3.prefix.replace(/\/+$/, '')}/` : '',
    accessKeyId: s3.access_key_id,
    secretAccessKey: s3.secret_access_key,
    sessionToken: s3.session_token ?? null,
  };
}

export function serverFrom(server: z.output<typeof serverSchema>): ServerSettings {
  return {
    maxBodyBytes: server.max_body_bytes ?? null,
    maxUploadBytes: server.max_upload_bytes ?? null,
    bodyMemoryBytes: server.body_memory_bytes ?? null,
    uploadDiskBytes: server.upload_disk_bytes ?? null,
    drainMs: server.drain_ms ?? null,
    shutdownGraceMs: server.shutdown_grace_ms ?? null,
    shutdownWriteMs: server.shutdown_write_ms ?? null,
    metricsToken: server.metrics_token ?? null,
    trustedProxies: server.trusted_proxies ?? [],
    corsOrigins: server.cors_origins ?? null,
    wrongKeysPerMinute: server.wrong_keys_per_minute ?? null,
    managementRequestsPerMinute: server.management_requests_per_minute ?? null,
    anonymousRequestsPerMinute: server.anonymous_requests_per_minute ?? null,
    anonymousRequestsInFlight: server.anonymous_requests_in_flight ?? null,
    maxResponsesPerAccount: server.max_responses_per_account ?? null,
    maxResponseBytesPerAccount: server.max_response_bytes_per_account ?? null,
    pingIntervalMs: server.ping_interval_ms ?? null,
    maxSocketsPerAccount: server.max_sockets_per_account ?? null,
    maxHeldAnswerBytes: server.max_held_answer_bytes ?? null,
    publicUrl: server.public_url ?? null,
    sharedStateBytes: server.shared_state_bytes ?? null,
  };
}
