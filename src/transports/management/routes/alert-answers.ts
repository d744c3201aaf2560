import { z } from 'zod';
import { ALERT_KINDS, ALERTING_CHANNEL_STATES, ERROR_RATE_SUBJECTS } from '../../../domain/alerts/alert-rule.ts';
import { ALERT_EVENT_TYPES, ALERT_TARGET_KINDS, DELIVERY_STATES } from '../../../engine/ports/alert-store.ts';
import { NAMED } from './named-answers.ts';

const OWNER = z.string().nullable().meta({ description: 'The owner. `null`: the operators.' });

/** A rule has exactly one of these. */
const CONDITIONS = {
  balance_below: z.object({ usd: z.string() }).optional(),
  budget_spent: z
    .object({ percent: z.number(), of: z.enum(['account', 'key']), key: z.string().nullable() })
    .optional(),
  key_limit_spent: z.object({ percent: z.number(), key: z.string().nullable() }).optional(),
  error_rate: z
    .object({
      percent: z.number(),
      window_minutes: z.number(),
      minimum_requests: z.number(),
      of: z.enum(ERROR_RATE_SUBJECTS),
      id: z.string().nullable(),
    })
    .optional(),
  channel_state: z
    .object({
      states: z.array(z.enum(ALERTING_CHANNEL_STATES)),
      resting_seconds: z.number(),
      channel: z.string().nullable(),
    })
    .optional(),
};

export const ALERT_RULE = z
  .looseObject({
    object: z.literal('alert_rule'),
    id: z.string(),
    account: OWNER,
    ...NAMED.account,
    name: z.string(),
    enabled: z.boolean(),
    type: z.enum(ALERT_KINDS).meta({ description: 'The condition. Its details are in the member of this name.' }),
    ...CONDITIONS,
    accounts: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Only for rules of the operators: the accounts to check. `null`: all.' }),
    account_names: z
      .array(z.string().nullable())
      .nullable()
      .meta({ description: 'The names of `accounts`, in the same order.' }),
    subject_name: z
      .string()
      .nullable()
      .meta({ description: 'The name of the one key or channel that the condition is about, or `null`.' }),
    targets: z
      .array(z.string())
      .nullable()
      .meta({ description: 'Where its alerts are sent. `null`: to all targets of the owner.' }),
    repeat_minutes: z.number().nullable(),
    managed_by: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'AlertRule' });

export const ALERT_WEBHOOK = z
  .looseObject({
    object: z.literal('alert_webhook'),
    id: z.string(),
    account: OWNER,
    ...NAMED.account,
    name: z.string(),
    enabled: z.boolean(),
    type: z.enum(ALERT_TARGET_KINDS),
    url_preview: z
      .string()
      .nullable()
      .meta({ description: 'The host and the last characters. The rest may be secret.' }),
    mail: z.string().nullable(),
    failing_since: z.string().nullable().meta({ description: 'When deliveries began to fail.' }),
    disabled_at: z.string().nullable().meta({ description: 'When the gateway stopped sending to it.' }),
    disabled_reason: z.string().nullable(),
    previous_secret_until: z.string().nullable(),
    managed_by: z.string(),
    created_at: z.string(),
    updated_at: z.string(),
  })
  .meta({ id: 'AlertWebhook' });

export const ALERT_WEBHOOK_WITH_SECRET = ALERT_WEBHOOK.extend({
  secret: z.string().nullable().meta({ description: 'Shown only once. `null` for mail.' }),
}).meta({ id: 'AlertWebhookWithSecret' });

const WARNING = {
  warning: z.string().nullable().meta({
    description: 'Why deliveries will fail at present, if the URL was set: its host has no public address yet.',
  }),
};
export const ALERT_WEBHOOK_CHANGED = ALERT_WEBHOOK.extend(WARNING).meta({ id: 'ChangedAlertWebhook' });
export const ALERT_WEBHOOK_CREATED = ALERT_WEBHOOK_WITH_SECRET.extend(WARNING).meta({ id: 'CreatedAlertWebhook' });

const RULE = z.looseObject({ id: z.string(), name: z.string(), type: z.enum(ALERT_KINDS) });
const SUBJECT = z.looseObject({
  type: z.string(),
  id: z.string(),
  name: z.string().nullable().meta({ description: 'The name of the account, key or channel. `null` if deleted.' }),
  account_id: z.string().nullable(),
  ...NAMED.account,
});
const VALUE = z.union([z.string(), z.number()]).nullable();
const UNIT = z.enum(['usd', 'percent', 'state']).nullable();

export const ACTIVE_ALERT = z
  .looseObject({
    object: z.literal('active_alert'),
    account: OWNER,
    ...NAMED.account,
    rule: RULE,
    subject: SUBJECT,
    since: z.string().meta({ description: 'When the value was first found beyond the threshold.' }),
    told_at: z.string().meta({ description: 'When the last notification was sent.' }),
    value: VALUE.meta({ description: 'The current value. `null` if there is nothing left to measure.' }),
    threshold: VALUE,
    unit: UNIT,
    message: z.string().nullable().meta({ description: 'A summary in one sentence.' }),
  })
  .meta({ id: 'ActiveAlert' });

export const ALERT_EVENT = z
  .looseObject({
    object: z.literal('alert_event'),
    id: z.string(),
    type: z.enum(ALERT_EVENT_TYPES),
    created_at: z.string(),
    account: OWNER,
    ...NAMED.account,
    account_id: z.string().nullable().meta({ description: 'The account that the event concerns, or `null`.' }),
    rule: RULE.nullable(),
    subject: SUBJECT.nullable(),
    value: VALUE.meta({ description: 'Amounts of money are decimal strings.' }),
    threshold: VALUE,
    unit: UNIT,
    message: z.string(),
  })
  .meta({ id: 'AlertEvent' });

export const ALERT_DELIVERY = z
  .looseObject({
    object: z.literal('alert_delivery'),
    id: z.string(),
    account: OWNER,
    ...NAMED.account,
    event: z.string(),
    event_type: z.enum(ALERT_EVENT_TYPES),
    webhook: z.string(),
    webhook_name: z.string().nullable().meta({ description: 'The name of the target. `null` if it was deleted.' }),
    state: z.enum(DELIVERY_STATES),
    attempts: z.number(),
    next_attempt_at: z.string().nullable(),
    last_status: z.number().nullable().meta({ description: 'The HTTP status of the last response.' }),
    last_error: z.string().nullable().meta({ description: 'Such as `http_500`, `timeout` or `address_refused`.' }),
    last_attempt_at: z.string().nullable(),
    last_duration_ms: z.number().nullable(),
    created_at: z.string(),
  })
  .meta({ id: 'AlertDelivery' });
