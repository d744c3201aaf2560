import type { z } from 'zod';
import { cacheSchema } from '../schema/cache-section.ts';
import { retentionSchema } from '../schema/retention-section.ts';
import { billingSchema, listingSchema, mediaSchema, routingSchema, serverSchema } from '../schema/settings.ts';
import { signInSchema } from '../schema/sign-in-section.ts';
import { tasksSchema } from '../schema/task-section.ts';

export interface SettingsSection {
  readonly schema: z.ZodType;
  /** Secrets, and what is needed before the database is open: only a file can say it. */
  readonly fileOnly: readonly string[];
}

/** What can be set over the API, by section; the rest is for the configuration file alone. */
export const SECTIONS: Readonly<Record<string, SettingsSection>> = {
  routing: { schema: routingSchema, fileOnly: [] },
  billing: { schema: billingSchema, fileOnly: [] },
  discovery: { schema: listingSchema, fileOnly: [] },
  server: { schema: serverSchema, fileOnly: ['metrics_token'] },
  media: { schema: mediaSchema, fileOnly: [] },
  tasks: { schema: tasksSchema, fileOnly: [] },
  cache: { schema: cacheSchema, fileOnly: [] },
  retention: { schema: retentionSchema, fileOnly: [] },
  sign_in: { schema: signInSchema, fileOnly: ['oidc'] },
};

/** Of any section: what is never shown, only that it is set. */
export const SECRET_FIELDS: ReadonlySet<string> = new Set([
  'server.metrics_token',
  'media_store.s3.access_key_id',
  'media_store.s3.secret_access_key',
  'media_store.s3.session_token',
  'sign_in.oidc',
  'mail.smtp_url',
  'alerts.webhooks',
]);
