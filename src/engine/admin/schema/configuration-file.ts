import { z } from 'zod';
import { MOST_GUARDS } from '../../../domain/guards/guard.ts';
import { PRICE_KEYS, VARIANT_PRICE_KEYS } from '../../../domain/money/pricing.ts';
import type { Providers } from '../../../providers/manifest.ts';
import { flag, listOf } from '../../../providers/shared/file-fields.ts';
import { PERIOD_FIELDS, TIER_FIELDS } from '../../../providers/shared/price-syntax.ts';
import type { SettingFields, SettingSections } from '../../ports/settings-store.ts';
import type { FieldPath } from '../admin-error.ts';
import type { Configuration, GatewaySettings, SettingVariables } from '../configuration/configuration.ts';
import { isMap, layered } from '../settings/leaves.ts';
import { accountFrom, accountSchema } from './account.ts';
import { ALERT_FIELDS, alertsFrom, alertsSchema } from './alert-section.ts';
import { batchesFrom, batchesSchema } from './batch-section.ts';
import { billingDetailsSchema } from './billing-details.ts';
import { brandingFrom, brandingSchema } from './branding-section.ts';
import {
  cacheFrom,
  cacheOverridesSchema,
  cacheSchema,
  feedbackSchema,
  semanticOverridesSchema,
  semanticSchema,
} from './cache-section.ts';
import { breakerSchema, channelFrom, channelSchema, modelTimeoutsSchema, timeoutsSchema } from './channel.ts';
import { keySchema, managementTokenSchema } from './credential.ts';
import { EXPORT_FIELDS, exportsFrom, exportsSchema } from './export-section.ts';
import { budgetSchema, rerouteSchema } from './fields.ts';
import { GUARD_FIELDS, guardFrom, guardSchema } from './guard.ts';
import { logsFrom, logsSchema } from './logs-section.ts';
import { capabilitiesSchema, modelFrom, modelSchema } from './model.ts';
import { conditionsSchema, ruleSchema, shareSchema, timeSchema } from './model-rules.ts';
import { quotasFrom, quotasSchema } from './quota-section.ts';
import { retentionFrom, retentionSchema } from './retention-section.ts';
import { searchFrom, searchSchema } from './search-section.ts';
import {
  billingFrom,
  billingSchema,
  listingFrom,
  listingSchema,
  mediaFrom,
  mediaSchema,
  mediaStoreFrom,
  mediaStoreSchema,
  routingFrom,
  routingSchema,
  s3Schema,
  serverFrom,
  serverSchema,
  usageFrom,
  usageSchema,
} from './settings.ts';
import { mailFrom, mailSchema, oidcSchema, signInFrom, signInSchema } from './sign-in-section.ts';
import { deadlinesSchema, tasksFrom, tasksSchema } from './task-section.ts';
import { TELEMETRY_FIELDS, telemetryFrom, telemetrySchema } from './telemetry-section.ts';
import { spendCapSchema, upstreamKeySchema } from './upstream-keys.ts';

/** The file is the operator's own; objects that accounts make are limited by quotas instead. */
const MOST_OBJECTS = 100_000;

/**
 * The whole file, with the fields of docs/configuration-reference.md. A list of objects without a value is refused: a file that was only
 * partly written looks like that, and applying it would remove the objects of the list.
 */
export const fileSchema = z.strictObject(
  {
    channels: listOf(channelSchema, 'channels', MOST_OBJECTS).optional(),
    models: listOf(modelSchema, 'models', MOST_OBJECTS).optional(),
    accounts: listOf(accountSchema, 'accounts', MOST_OBJECTS).optional(),
    guards: listOf(guardSchema, 'guards', MOST_GUARDS).optional(),
    sandbox: flag.nullish(),
    routing: routingSchema.nullish(),
    billing: billingSchema.nullish(),
    discovery: listingSchema.nullish(),
    server: serverSchema.nullish(),
    media: mediaSchema.nullish(),
    media_store: mediaStoreSchema.nullish(),
    tasks: tasksSchema.nullish(),
    batches: batchesSchema.nullish(),
    search: searchSchema.nullish(),
    cache: cacheSchema.nullish(),
    retention: retentionSchema.nullish(),
    quotas: quotasSchema.nullish(),
    usage: usageSchema.nullish(),
    seller: billingDetailsSchema.nullish(),
    sign_in: signInSchema.nullish(),
    mail: mailSchema.nullish(),
    alerts: alertsSchema.nullish(),
    branding: brandingSchema.nullish(),
    telemetry: telemetrySchema.nullish(),
    exports: exportsSchema.nullish(),
    logs: logsSchema.nullish(),
  },
  {
    error:
      'the file must be a map with channels, models, accounts, guards, sandbox, routing, billing, discovery, server, media, media_store, tasks, cache, retention, quotas, usage, seller, sign_in, mail, alerts, branding, telemetry, exports or logs',
  },
);

/** The allowed fields of each place, by its path without list indexes, from which a correction of a misspelled field is suggested. */
export const KNOWN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  '': Object.keys(fileSchema.shape),
  channels: Object.keys(channelSchema.shape),
  'channels.timeouts': Object.keys(timeoutsSchema.shape),
  'channels.timeouts.models': Object.keys(modelTimeoutsSchema.shape),
  'channels.costs': PERIOD_FIELDS,
  'channels.costs.tiers': TIER_FIELDS,
  'channels.breaker': Object.keys(breakerSchema.shape),
  'channels.api_keys': Object.keys(upstreamKeySchema.shape),
  'channels.api_keys.spend_cap': Object.keys(spendCapSchema.shape),
  models: Object.keys(modelSchema.shape),
  'models.capabilities': Object.keys(capabilitiesSchema.shape),
  'models.cache': Object.keys(cacheOverridesSchema.shape),
  'models.cache.semantic': Object.keys(semanticOverridesSchema.shape),
  'models.rules': Object.keys(ruleSchema.shape),
  'models.rules.when': Object.keys(conditionsSchema.shape),
  'models.rules.when.time': Object.keys(timeSchema.shape),
  'models.rules.when.share': Object.keys(shareSchema.shape),
  'models.pricing': PERIOD_FIELDS,
  'models.pricing.tiers': TIER_FIELDS,
  accounts: Object.keys(accountSchema.shape),
  'accounts.budget': Object.keys(budgetSchema.shape),
  'accounts.budget.then': Object.keys(rerouteSchema.shape),
  'accounts.cache': Object.keys(cacheOverridesSchema.shape),
  'accounts.cache.semantic': Object.keys(semanticOverridesSchema.shape),
  'accounts.quotas': Object.keys(quotasSchema.shape),
  'accounts.billing_details': Object.keys(billingDetailsSchema.shape),
  'accounts.keys': Object.keys(keySchema.shape),
  'accounts.keys.budget': Object.keys(budgetSchema.shape),
  'accounts.keys.budget.then': Object.keys(rerouteSchema.shape),
  'accounts.management_tokens': Object.keys(managementTokenSchema.shape),
  routing: Object.keys(routingSchema.shape),
  billing: Object.keys(billingSchema.shape),
  discovery: Object.keys(listingSchema.shape),
  server: Object.keys(serverSchema.shape),
  media: Object.keys(mediaSchema.shape),
  media_store: Object.keys(mediaStoreSchema.shape),
  'media_store.s3': Object.keys(s3Schema.shape),
  tasks: Object.keys(tasksSchema.shape),
  'tasks.deadline_minutes': Object.keys(deadlinesSchema.shape),
  batches: Object.keys(batchesSchema.shape),
  search: Object.keys(searchSchema.shape),
  cache: Object.keys(cacheSchema.shape),
  'cache.semantic': Object.keys(semanticSchema.shape),
  'cache.feedback': Object.keys(feedbackSchema.shape),
  retention: Object.keys(retentionSchema.shape),
  quotas: Object.keys(quotasSchema.shape),
  usage: Object.keys(usageSchema.shape),
  seller: Object.keys(billingDetailsSchema.shape),
  sign_in: Object.keys(signInSchema.shape),
  'sign_in.oidc': Object.keys(oidcSchema.shape),
  mail: Object.keys(mailSchema.shape),
  branding: Object.keys(brandingSchema.shape),
  ...GUARD_FIELDS,
  ...ALERT_FIELDS,
  ...TELEMETRY_FIELDS,
  ...EXPORT_FIELDS,
  logs: Object.keys(logsSchema.shape),
  'media.timeouts': ['connect_ms', 'total_ms'],
};

export type ConfigurationFile = z.output<typeof fileSchema>;

interface FileSource {
  readonly path: string;
  /** The file's value before it was checked. */
  readonly value: unknown;
  /** The environment variables that a setting's value comes from, by the setting's path with its section. */
  readonly variables: SettingVariables;
}

/** Returns a checked file as domain objects, with every default filled in. */
export function toConfiguration(file: ConfigurationFile, providers: Providers, source: FileSource): Configuration {
  return {
    path: source.path,
    written: sectionsIn(source.value),
    variables: source.variables,
    channels: (file.channels ?? []).map((channel) => channelFrom(channel, providers)),
    models: (file.models ?? []).map(modelFrom),
    accounts: (file.accounts ?? []).map(accountFrom),
    ...(file.guards !== undefined && { guards: file.guards.map(guardFrom) }),
    sandbox: file.sandbox ?? null,
    ...settingsFrom(file),
  };
}

/** Returns the sections that hold settings instead of objects of routing and accounts. */
function sectionsIn(value: unknown): SettingSections {
  const {
    channels: _channels,
    models: _models,
    accounts: _accounts,
    guards: _guards,
    sandbox: _sandbox,
    ...sections
  } = isMap(value) ? value : {};
  return Object.fromEntries(
    Object.entries(sections).filter((section): section is [string, SettingFields] => isMap(section[1])),
  );
}

/** Returns the settings of a checked file, with every default filled in. */
export function settingsFrom(file: ConfigurationFile): GatewaySettings {
  const retention = retentionFrom(file.retention ?? {});
  return {
    routing: routingFrom(file.routing ?? {}),
    billing: billingFrom(file.billing ?? {}),
    listing: listingFrom(file.discovery ?? {}),
    server: serverFrom(file.server ?? {}),
    media: mediaFrom(file.media ?? {}),
    mediaStore: mediaStoreFrom(file.media_store ?? {}),
    tasks: tasksFrom(file.tasks ?? {}, retention),
    batches: batchesFrom(file.batches ?? {}),
    search: searchFrom(file.search ?? {}),
    cache: cacheFrom(file.cache ?? {}),
    retention,
    quotas: quotasFrom(file.quotas ?? {}),
    usage: usageFrom(file.usage ?? {}),
    signIn: signInFrom(file.sign_in ?? {}),
    mail: mailFrom(file.mail ?? {}),
    alerts: alertsFrom(file.alerts ?? {}),
    branding: brandingFrom(file.branding ?? {}),
    telemetry: telemetryFrom(file.telemetry ?? {}),
    exports: exportsFrom(file.exports ?? {}),
    logs: logsFrom(file.logs ?? {}),
  };
}

const AMOUNT_FIELDS: ReadonlySet<unknown> = new Set([
  'balance_usd',
  'ceiling_usd',
  'limit_usd',
  'private_channel_fee_usd',
]);

/** Returns whether this place of a configuration holds an amount or a price, whose digits are kept as they are written. */
export function isDecimal(path: FieldPath): boolean {
  return AMOUNT_FIELDS.has(path.at(-1)) || isBudget(path) || isPrice(path);
}

function isBudget(path: FieldPath): boolean {
  return (path.at(-2) === 'budget' || path.at(-2) === 'spend_cap') && path.at(-1) === 'usd';
}

/** Returns whether this place holds a price. A channel's `costs` have a level for the model above the prices. */
function isPrice(path: FieldPath): boolean {
  const [section, , field] = path;
  const isInside =
    (section === 'models' && field === 'pricing') || (section === 'channels' && field === 'costs' && path.length > 4);
  return (
    isInside && (PRICE_KEYS.some((key) => key === path.at(-1)) || VARIANT_PRICE_KEYS.some((key) => key === path.at(-2)))
  );
}

/**
 * Returns the configuration that a gateway starts with: this file, if there is one, over what was set over the API, over what standard
 * variables of the environment say. Throws a `ZodError` if they are inconsistent.
 */
export function withSettings(
  configuration: Configuration | null,
  stored: SettingSections,
  environment: SettingSections = {},
): Configuration {
  const written = configuration?.written ?? {};
  const names = new Set([environment, stored, written].flatMap((layer) => Object.keys(layer)));
  const both = Object.fromEntries(
    [...names].map((name) => [
      name,
      layered(layered(environment[name] ?? {}, stored[name] ?? {}), written[name] ?? {}),
    ]),
  );
  const nothing = { path: null, written, variables: {}, channels: [], models: [], accounts: [], sandbox: null };
  return { ...(configuration ?? nothing), ...settingsFrom(fileSchema.parse(both)) };
}
