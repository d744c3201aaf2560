import { z } from 'zod';
import { batchesSchema } from '../schema/batch-section.ts';
import { billingDetailsSchema } from '../schema/billing-details.ts';
import { brandingSchema } from '../schema/branding-section.ts';
import { cacheSchema } from '../schema/cache-section.ts';
import { logsSchema } from '../schema/logs-section.ts';
import { quotasSchema } from '../schema/quota-section.ts';
import { retentionSchema } from '../schema/retention-section.ts';
import { searchSchema } from '../schema/search-section.ts';
import {
  billingSchema,
  listingSchema,
  mediaSchema,
  routingSchema,
  serverSchema,
  usageSchema,
} from '../schema/settings.ts';
import { mailSchema, signInSchema } from '../schema/sign-in-section.ts';
import { tasksSchema } from '../schema/task-section.ts';
import { telemetrySchema } from '../schema/telemetry-section.ts';
import { isMap } from './leaves.ts';

interface SettingsSection {
  readonly schema: z.ZodType;
  /** Whether a running gateway applies a change; the other sections are read when it starts. */
  readonly appliesAtOnce?: true;
}

/** The sections that have fields which can be set over the API; `classes.ts` says which fields, and by whom. */
export const SECTIONS: Readonly<Record<string, SettingsSection>> = {
  routing: { schema: routingSchema },
  billing: { schema: billingSchema },
  discovery: { schema: listingSchema },
  server: { schema: serverSchema },
  media: { schema: mediaSchema },
  tasks: { schema: tasksSchema },
  batches: { schema: batchesSchema },
  search: { schema: searchSchema },
  cache: { schema: cacheSchema },
  retention: { schema: retentionSchema },
  quotas: { schema: quotasSchema },
  usage: { schema: usageSchema },
  seller: { schema: billingDetailsSchema, appliesAtOnce: true },
  sign_in: { schema: signInSchema },
  mail: { schema: mailSchema },
  branding: { schema: brandingSchema, appliesAtOnce: true },
  telemetry: { schema: telemetrySchema },
  logs: { schema: logsSchema, appliesAtOnce: true },
};

/** The fields of all sections whose values are never shown, but only whether they are set. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'server.metrics_token',
  'media_store.s3.access_key_id',
  'media_store.s3.secret_access_key',
  'media_store.s3.session_token',
  'sign_in.oidc',
  'mail.smtp_url',
  'alerts.webhooks',
  'telemetry.otlp.headers',
  'telemetry.traces.otlp.headers',
  'exports.targets',
  'telemetry.metrics.otlp.headers',
  'telemetry.logs.otlp.headers',
]);

type Forms = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

let forms: Forms | null = null;

/** Returns a JSON Schema of each section that can be changed over the API. Made on the first call, since that takes 13 ms. */
export function settingsForms(): Forms {
  forms ??= Object.fromEntries(
    Object.entries(SECTIONS).map(([name, { schema }]) => [
      name,
      z.toJSONSchema(schema, { target: 'openapi-3.0', io: 'input', unrepresentable: 'any' }),
    ]),
  );
  return forms;
}

/** Returns the paths of all fields of a JSON Schema. */
export function pathsOf(schema: unknown, prefix = ''): readonly string[] {
  if (!isMap(schema) || !isMap(schema.properties)) return [];
  return Object.entries(schema.properties).flatMap(([name, inner]) =>
    isMap(inner) && isMap(inner.properties) ? pathsOf(inner, `${prefix}${name}.`) : [prefix + name],
  );
}
