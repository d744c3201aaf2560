import { z } from 'zod';
import { BILLING_MODES, ROLES } from '../../domain/access/account.ts';
import { parseAddressRange } from '../../domain/access/network-address.ts';
import { MODALITIES, MODEL_FEATURES } from '../../domain/catalog/capabilities.ts';
import { MODEL_CATEGORIES } from '../../domain/catalog/category.ts';
import { MODEL_STATUSES } from '../../domain/catalog/model.ts';
import { OPERATIONS } from '../../domain/catalog/operation.ts';
import { parseNanoUsd } from '../../domain/money/nano-usd.ts';
import { DEFAULT_BREAKER } from '../../domain/routing/breaker-settings.ts';
import { STRATEGIES } from '../../domain/routing/strategy.ts';
import { SECRET_MINIMUM_LENGTH } from '../../engine/access/secrets.ts';
import { IDENTIFIER, IDENTIFIER_RULE, MAXIMUM_NAME_LENGTH, MAXIMUM_NANO_USD } from '../../engine/admin/identifiers.ts';
import { LARGEST_LIMIT } from '../../engine/admin/limits.ts';
import { COUNTER_FALLBACKS } from '../../engine/settings/billing-settings.ts';
import { flag, integer, listOf, MAP, number, oneOf, text, time } from '../../providers/shared/file-fields.ts';
import { modelPricing, PERIOD_FIELDS, pricing, TIER_FIELDS } from '../../providers/shared/price-syntax.ts';

const LONGEST_TIMEOUT_MS = 86_400_000;

const identifier = text(IDENTIFIER_RULE, IDENTIFIER);
const name = text(`must be a name of 1 to ${MAXIMUM_NAME_LENGTH} characters`, /^(?=.*\S)[^\p{Cc}]{1,200}$/u);
const modelId = text('must be a model id without spaces, of 1 to 200 characters', /^[^\s\p{Cc}]{1,200}$/u);
const apiKey = text('must be a key without spaces or line breaks', /^[\x21-\x7e]{1,10000}$/);

const amount = z.string({ error: 'must be a decimal amount in USD such as "0.15"' }).transform((value, context) => {
  const parsed = parseNanoUsd(value.slice(0, 60));
  if (!parsed.ok) context.addIssue({ code: 'custom', message: parsed.problem });
  else if (parsed.amountNanoUsd < 0n || parsed.amountNanoUsd > MAXIMUM_NANO_USD) {
    context.addIssue({ code: 'custom', message: 'must be from 0 to 1000000000 USD' });
  } else return parsed.amountNanoUsd;
  return z.NEVER;
});

const milliseconds = integer('must be a positive number of milliseconds, at most a day', 1, LONGEST_TIMEOUT_MS);
const modelTimeoutsSchema = z.strictObject(
  {
    connect_ms: milliseconds.nullish(),
    first_byte_ms: milliseconds.nullish(),
    idle_ms: milliseconds.nullish(),
    first_event_ms: milliseconds.nullish(),
    event_idle_ms: milliseconds.nullish(),
    total_ms: milliseconds.nullish(),
  },
  MAP,
);
const timeoutsSchema = modelTimeoutsSchema.extend({
  models: z
    .record(modelId, modelTimeoutsSchema, { error: 'must be a map from public model ids to timeouts' })
    .nullish(),
});

const breakerSchema = z
  .strictObject(
    {
      window_ms: integer('must be a number of milliseconds from 100 to 3600000', 100, 3_600_000).nullish(),
      failure_rate: number('must be a number from 0.01 to 1', 0.01, 1).nullish(),
      minimum_requests: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
      cooldown_ms: milliseconds.nullish(),
      max_cooldown_ms: milliseconds.nullish(),
      probes: integer('must be a whole number from 1 to 1000', 1, 1000).nullish(),
    },
    MAP,
  )
  .superRefine((breaker, context) => {
    const cooldownMs = breaker.cooldown_ms ?? DEFAULT_BREAKER.cooldownMs;
    const maxCooldownMs = breaker.max_cooldown_ms ?? DEFAULT_BREAKER.maxCooldownMs;
    if (cooldownMs <= maxCooldownMs) return;
    const [path, message] =
      breaker.max_cooldown_ms == null
        ? ['cooldown_ms', `must be at most max_cooldown_ms, which is ${maxCooldownMs}`]
        : ['max_cooldown_ms', `must be at least cooldown_ms, which is ${cooldownMs}`];
    context.addIssue({ code: 'custom', path: [path], message });
  });

const strategy = oneOf(STRATEGIES);

const limitUpTo = (most: number) => integer(`must be a whole number from 1 to ${most}`, 1, most);

const secretOf = (prefix: string) =>
  text(
    `must begin with "${prefix}", with at least ${SECRET_MINIMUM_LENGTH} characters after it, without spaces`,
    new RegExp(`^${prefix}[\\x21-\\x7e]{${SECRET_MINIMUM_LENGTH},500}$`),
  );

const patterns = listOf(modelId, 'model ids').min(1, {
  error: 'must name at least one model; leave it out to allow all',
});

const keySchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    secret: secretOf('sk-'),
    limit_usd: amount.nullish(),
    models: patterns.nullish(),
    requests_per_minute: limitUpTo(LARGEST_LIMIT.requests_per_minute).nullish(),
    expires_at: time.nullish(),
  },
  MAP,
);

const managementTokenSchema = z.strictObject({ id: identifier, name: name.nullish(), secret: secretOf('mt-') }, MAP);

const channelSchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    provider: z.string({ error: 'must be the name of a provider' }),
    base_url: z
      .string({ error: 'must be an http or https address' })
      .transform((value, context) => {
        const problem = addressProblem(value);
        if (problem !== null) context.addIssue({ code: 'custom', message: problem });
        return value.replace(/\/+$/, '');
      })
      .nullish(),
    api_key: apiKey.nullish(),
    settings: z.record(z.string(), z.unknown(), MAP).nullish(),
    formats: listOf(z.string({ error: 'must be the name of a format' }), 'formats')
      .min(1, { error: 'must name at least one format; leave it out to use all' })
      .nullish(),
    priority: integer('must be a whole number from -1000000 to 1000000', -1_000_000, 1_000_000_000).nullish(),
    weight: number('must be a number from 0.001 to 1000000', 0.001, 1_000_000_000).nullish(),
    owner: identifier.nullish(),
    timeouts: timeoutsSchema.nullish(),
    models: z.union(
      [
        z.array(modelId).min(1, { error: 'must name at least one model' }),
        z
          .record(modelId, modelId)
          .refine((models) => Object.keys(models).length > 0, { error: 'must name at least one model' }),
      ],
      { error: 'must be a list of model ids, or a map from public to upstream ids' },
    ),
    costs: z.record(modelId, pricing, { error: 'must be a map from public model ids to prices' }).nullish(),
    breaker: breakerSchema.nullish(),
  },
  MAP,
);

const MOST_TAGS = 20;
const tag = text(
  'must be a word of 1 to 32 letters, digits, ".", "_", "-" or "+"',
  /^[\p{L}\p{N}][\p{L}\p{N}._+-]{0,31}$/u,
);

const LARGEST_TOKENS = 1_000_000_000;
const tokens = integer(`must be a whole number of tokens from 1 to ${LARGEST_TOKENS}`, 1, LARGEST_TOKENS);

const capabilitiesSchema = z.strictObject(
  {
    input: listOf(oneOf(MODALITIES), 'modalities').nullish(),
    output: listOf(oneOf(MODALITIES), 'modalities').nullish(),
    features: listOf(oneOf(MODEL_FEATURES), 'features').nullish(),
    context: tokens.nullish(),
    max_output: tokens.nullish(),
    dimensions: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
  },
  MAP,
);

const modelSchema = z.strictObject(
  {
    id: modelId,
    name: name.nullish(),
    description: text('must be a text of 1 to 500 characters', /^(?=.*\S)[^\p{Cc}]{1,500}$/u).nullish(),
    category: oneOf(MODEL_CATEGORIES).nullish(),
    owned_by: name.nullish(),
    status: oneOf(MODEL_STATUSES).nullish(),
    pricing: modelPricing.nullish(),
    strategy: strategy.nullish(),
    capabilities: capabilitiesSchema.nullish(),
    operations: listOf(oneOf(OPERATIONS), 'operations')
      .min(1, { error: 'must name at least one operation; leave it out for those of the category' })
      .nullish(),
    tags: listOf(tag, 'words')
      .max(MOST_TAGS, { error: `must have at most ${MOST_TAGS} words` })
      .nullish(),
  },
  MAP,
);

const accountSchema = z.strictObject(
  {
    id: identifier,
    name: name.nullish(),
    role: oneOf(ROLES).nullish(),
    admin: flag.nullish(),
    billing: oneOf(BILLING_MODES).nullish(),
    balance_usd: amount.nullish(),
    requests_per_minute: limitUpTo(LARGEST_LIMIT.requests_per_minute).nullish(),
    tokens_per_minute: limitUpTo(LARGEST_LIMIT.tokens_per_minute).nullish(),
    max_concurrent: limitUpTo(LARGEST_LIMIT.max_concurrent).nullish(),
    strategy: strategy.nullish(),
    keys: listOf(keySchema, 'keys').optional(),
    management_tokens: listOf(managementTokenSchema, 'management tokens').optional(),
  },
  MAP,
);

const routingSchema = z.strictObject(
  {
    strategy: strategy.nullish(),
    max_attempts: integer('must be a whole number from 1 to 20', 1, 20).nullish(),
    deadline_ms: milliseconds.nullish(),
  },
  MAP,
);

const billingSchema = z.strictObject(
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

const discoverySchema = z.strictObject(
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

const serverSchema = z.strictObject(
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
    max_responses_per_account: integer('must be a whole number from 1 to 1000000000', 1, 1_000_000_000).nullish(),
    max_response_bytes_per_account: heldBytes.nullish(),
  },
  MAP,
);

const mediaSchema = z.strictObject(
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

/**
 * The whole file; the fields and rules of docs/configuration.md. A list of objects that is written without a value is refused:
 * so looks a file whose writing broke off, and applying it would remove what the list held.
 */
export const fileSchema = z.strictObject(
  {
    channels: listOf(channelSchema, 'channels').optional(),
    models: listOf(modelSchema, 'models').optional(),
    accounts: listOf(accountSchema, 'accounts').optional(),
    sandbox: flag.nullish(),
    routing: routingSchema.nullish(),
    billing: billingSchema.nullish(),
    discovery: discoverySchema.nullish(),
    server: serverSchema.nullish(),
    media: mediaSchema.nullish(),
  },
  {
    error:
      'the file must be a map with channels, models, accounts, sandbox, routing, billing, discovery, server or media',
  },
);

/** The fields that may stand at a place, by that place's path without list indexes; to suggest one for a wrong one. */
export const KNOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(fileSchema.shape),
  channels: Object.keys(channelSchema.shape),
  'channels.timeouts': Object.keys(timeoutsSchema.shape),
  'channels.timeouts.models': Object.keys(modelTimeoutsSchema.shape),
  'channels.costs': PERIOD_FIELDS,
  'channels.costs.tiers': TIER_FIELDS,
  'channels.breaker': Object.keys(breakerSchema.shape),
  models: Object.keys(modelSchema.shape),
  'models.capabilities': Object.keys(capabilitiesSchema.shape),
  'models.pricing': PERIOD_FIELDS,
  'models.pricing.tiers': TIER_FIELDS,
  accounts: Object.keys(accountSchema.shape),
  'accounts.keys': Object.keys(keySchema.shape),
  'accounts.management_tokens': Object.keys(managementTokenSchema.shape),
  routing: Object.keys(routingSchema.shape),
  billing: Object.keys(billingSchema.shape),
  discovery: Object.keys(discoverySchema.shape),
  server: Object.keys(serverSchema.shape),
  media: Object.keys(mediaSchema.shape),
  'media.timeouts': ['connect_ms', 'total_ms'],
};

export type ConfigurationFile = z.output<typeof fileSchema>;

function addressProblem(value: string): string | null {
  const url = URL.parse(value);
  if (url === null || !/^https?:\/\//i.test(value)) return 'must be an http or https address';
  if (url.username !== '' || url.password !== '') return 'must hold no user name or password: use api_key';
  if (url.search !== '' || url.hash !== '') return 'must hold no query or fragment';
  return null;
}
