import { z } from 'zod';
import { parseAddressRange } from '../../../domain/access/network-address.ts';
import { flag, integer, listOf, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { DEFAULT_MEDIA_SETTINGS, type MediaSettings } from '../../ports/media-fetcher.ts';
import { type BillingSettings, COUNTER_FALLBACKS, DEFAULT_BILLING } from '../../settings/billing-settings.ts';
import { DEFAULT_LISTING, type ListingSettings } from '../../settings/listing-settings.ts';
import { DEFAULT_ROUTING, type RoutingSettings } from '../../settings/routing-settings.ts';
import type { ServerSettings } from '../configuration/configuration.ts';
import { amount, LONGEST_TIMEOUT_MS, milliseconds, strategy } from './fields.ts';

/* The settings of the gateway as a whole. */

export const routingSchema = z.strictObject(
  {
    strategy: strategy.nullish(),
    max_attempts: integer('must be a whole number from 1 to 20', 1, 20).nullish(),
    deadline_ms: milliseconds.nullish(),
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

/** They are members of the Model object already. */
const MODEL_MEMBERS = ['id', 'object', 'created', 'owned_by'];
/** A client that sets a member of these names changes what the object is. */
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

const addressRange = z
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

/** All pages, or those of a list. */
const corsOrigins = z.union([z.literal('*'), listOf(origin, 'origins')], {
  error: 'must be "*", or a list of origins such as "https://app.example.com"',
});

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
    shutdown_grace_ms: integer('must be a number of milliseconds from 0 to 3600000', 0, 3_600_000).nullish(),
    metrics_token: text('must be 16 to 200 characters without spaces', /^[\x21-\x7e]{16,200}$/).nullish(),
    trusted_proxies: listOf(addressRange, 'ranges of addresses').nullish(),
    cors_origins: corsOrigins.transform((value) => (value === '*' ? value : new Set(value))).nullish(),
    wrong_keys_per_minute: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    ping_interval_ms: integer('must be 0 (off) or a number of milliseconds from 1000 to 60000', 0, 60_000)
      .refine((ms) => ms === 0 || ms >= 1_000, {
        error: 'must be 0 (off) or a number of milliseconds from 1000 to 60000',
      })
      .nullish(),
    max_sockets_per_account: integer('must be a whole number from 0 to 100000', 0, 100_000).nullish(),
    max_held_answer_bytes: heldBytes.nullish(),
    shared_state_bytes: sharedBytes.nullish(),
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

export function routingFrom(routing: z.output<typeof routingSchema>): RoutingSettings {
  return {
    strategy: routing.strategy ?? DEFAULT_ROUTING.strategy,
    maxAttempts: routing.max_attempts ?? DEFAULT_ROUTING.maxAttempts,
    deadlineMs: routing.deadline_ms ?? DEFAULT_ROUTING.deadlineMs,
  };
}

export function billingFrom(billing: z.output<typeof billingSchema>): BillingSettings {
  return {
    assumedOutputTokens: billing.assumed_output_tokens ?? DEFAULT_BILLING.assumedOutputTokens,
    privateChannelFeeNanoUsd: billing.private_channel_fee_usd ?? DEFAULT_BILLING.privateChannelFeeNanoUsd,
    whenCountersAreAway: billing.when_counters_are_away ?? DEFAULT_BILLING.whenCountersAreAway,
  };
}

export function listingFrom(listing: z.output<typeof listingSchema>): ListingSettings {
  return {
    vendorKey: listing.vendor_key ?? DEFAULT_LISTING.vendorKey,
    minimumSamples: listing.minimum_samples ?? DEFAULT_LISTING.minimumSamples,
    refreshMs: listing.refresh_ms ?? DEFAULT_LISTING.refreshMs,
  };
}

export function mediaFrom(media: z.output<typeof mediaSchema>): MediaSettings {
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

export function serverFrom(server: z.output<typeof serverSchema>): ServerSettings {
  return {
    maxBodyBytes: server.max_body_bytes ?? null,
    maxUploadBytes: server.max_upload_bytes ?? null,
    bodyMemoryBytes: server.body_memory_bytes ?? null,
    shutdownGraceMs: server.shutdown_grace_ms ?? null,
    metricsToken: server.metrics_token ?? null,
    trustedProxies: server.trusted_proxies ?? [],
    corsOrigins: server.cors_origins ?? null,
    wrongKeysPerMinute: server.wrong_keys_per_minute ?? null,
    maxResponsesPerAccount: server.max_responses_per_account ?? null,
    maxResponseBytesPerAccount: server.max_response_bytes_per_account ?? null,
    pingIntervalMs: server.ping_interval_ms ?? null,
    maxSocketsPerAccount: server.max_sockets_per_account ?? null,
    maxHeldAnswerBytes: server.max_held_answer_bytes ?? null,
    sharedStateBytes: server.shared_state_bytes ?? null,
  };
}
