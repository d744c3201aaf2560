import { z } from 'zod';
import {
  ALERT_KINDS,
  ALERTING_CHANNEL_STATES,
  type AlertCondition,
  type AlertRule,
  ERROR_RATE_SUBJECTS,
  USUAL_ALERTING_STATES,
} from '../../../domain/alerts/alert-rule.ts';
import type { Origin } from '../../../domain/catalog/model.ts';
import { formatNanoUsd } from '../../../domain/money/nano-usd.ts';
import { flag, integer, listOf, MAP, oneOf, text } from '../../../providers/shared/file-fields.ts';
import { WEBHOOK_SECRET } from '../../alerts/sign-webhook.ts';
import type { AlertTarget } from '../../ports/alert-store.ts';
import type { Problem } from '../admin-error.ts';
import { amount, identifier, modelId, name } from './fields.ts';

/* Alerts as configuration files and the verbs of administration write them (docs/alerts.md). */

const percent = integer('must be a whole number from 1 to 100', 1, 100);
const positiveAmount = amount.refine((value) => value > 0n, { error: 'must be more than 0 USD' });

export const balanceBelowSchema = z.strictObject({ usd: positiveAmount }, MAP);
export const budgetSpentSchema = z.strictObject(
  { percent, of: oneOf(['account', 'key']).nullish(), key: identifier.nullish() },
  MAP,
);
export const keyLimitSpentSchema = z.strictObject({ percent, key: identifier.nullish() }, MAP);
export const errorRateSchema = z.strictObject(
  {
    percent,
    window_minutes: integer('must be a whole number of minutes from 1 to 1440', 1, 1_440).nullish(),
    minimum_requests: integer('must be a whole number from 1 to 1000000', 1, 1_000_000).nullish(),
    of: oneOf(ERROR_RATE_SUBJECTS).nullish(),
    id: modelId.nullish(),
  },
  MAP,
);
export const channelStateSchema = z.strictObject(
  {
    states: listOf(oneOf(ALERTING_CHANNEL_STATES), 'states').min(1, { error: 'must name a state' }).nullish(),
    resting_seconds: integer('must be a whole number of seconds from 0 to 86400', 0, 86_400).nullish(),
    channel: identifier.nullish(),
  },
  MAP,
);

const CONDITIONS = {
  balance_below: balanceBelowSchema.nullish(),
  budget_spent: budgetSpentSchema.nullish(),
  key_limit_spent: keyLimitSpentSchema.nullish(),
  error_rate: errorRateSchema.nullish(),
  channel_state: channelStateSchema.nullish(),
};

const identifiers = (what: string) => listOf(identifier, what).max(1_000, { error: 'must be at most 1000' });

export const alertRuleSchema = z.strictObject(
  {
    id: identifier.nullish(),
    name: name.nullish(),
    enabled: flag.nullish(),
    ...CONDITIONS,
    accounts: identifiers('accounts').min(1, { error: 'must name an account; leave it out for all' }).nullish(),
    targets: identifiers('targets').nullish(),
    repeat_minutes: integer('must be a whole number of minutes from 5 to 43200', 5, 43_200).nullish(),
  },
  MAP,
);

export const alertRuleChangeSchema = alertRuleSchema.omit({ id: true });

const WEBHOOK_URL = 'use an https:// URL such as "https://hooks.example.com/alerts", without a user name';
const MAIL_ADDRESS = 'must be an email address such as "ops@example.com"';

const webhookUrl = text(WEBHOOK_URL, /^https?:\/\/[^\s#@]{1,2000}$/);
const mailAddress = text(MAIL_ADDRESS, /^[^\s<>@,;"]{1,64}@[^\s<>@,;"]{1,190}$/);
export const webhookSecret = text(
  'must be "whsec_" and 24 to 64 bytes in base64; leave it out to have one generated',
  WEBHOOK_SECRET,
);

/** Either a webhook or a mail address. */
export const alertTargetSchema = z.strictObject(
  {
    id: identifier.nullish(),
    name: name.nullish(),
    enabled: flag.nullish(),
    url: webhookUrl.nullish(),
    secret: webhookSecret.nullish(),
    mail: mailAddress.nullish(),
  },
  MAP,
);

/** A secret is rotated instead of changed. */
export const newAlertTargetSchema = alertTargetSchema.omit({ secret: true });
export const alertTargetChangeSchema = newAlertTargetSchema.omit({ id: true });

/** In a file, each rule and target has its id, and a webhook its secret, since nobody would learn of one that is generated at start. */
export const configuredRuleSchema = alertRuleSchema.extend({ id: identifier });
export const configuredTargetSchema = alertTargetSchema.extend({ id: identifier });

export type WrittenRule = z.output<typeof alertRuleSchema>;
export type WrittenTarget = z.output<typeof alertTargetSchema>;

const DEFAULT_WINDOW_MINUTES = 5;
const DEFAULT_MINIMUM_REQUESTS = 20;
const DEFAULT_RESTING_SECONDS = 60;

/** Returns the names of the conditions that are given. */
export function conditionsOf(rule: Readonly<Record<string, unknown>>): readonly string[] {
  return ALERT_KINDS.filter((kind) => rule[kind] !== undefined && rule[kind] !== null);
}

/** Returns the condition of a rule that has exactly one. */
export function conditionFrom(rule: WrittenRule): AlertCondition {
  if (rule.balance_below) return { kind: 'balance_below', thresholdNanoUsd: rule.balance_below.usd };
  if (rule.budget_spent) {
    const { percent: share, key = null, of } = rule.budget_spent;
    return { kind: 'budget_spent', percent: share, of: of ?? (key === null ? 'account' : 'key'), keyId: key };
  }
  if (rule.key_limit_spent) {
    const { percent: share, key = null } = rule.key_limit_spent;
    return { kind: 'key_limit_spent', percent: share, keyId: key };
  }
  if (rule.error_rate) {
    const { percent: share, window_minutes: minutes, minimum_requests: least, of, id = null } = rule.error_rate;
    return {
      kind: 'error_rate',
      percent: share,
      windowMinutes: minutes ?? DEFAULT_WINDOW_MINUTES,
      minimumRequests: least ?? DEFAULT_MINIMUM_REQUESTS,
      of: of ?? 'account',
      id,
    };
  }
  const { states, resting_seconds: seconds, channel = null } = rule.channel_state ?? {};
  return {
    kind: 'channel_state',
    states: states ?? USUAL_ALERTING_STATES,
    restingMs: (seconds ?? DEFAULT_RESTING_SECONDS) * 1_000,
    channelId: channel,
  };
}

function conditionFields(condition: AlertCondition) {
  switch (condition.kind) {
    case 'balance_below':
      return { balance_below: { usd: formatNanoUsd(condition.thresholdNanoUsd) } };
    case 'budget_spent':
      return { budget_spent: { percent: condition.percent, of: condition.of, key: condition.keyId } };
    case 'key_limit_spent':
      return { key_limit_spent: { percent: condition.percent, key: condition.keyId } };
    case 'error_rate': {
      const { percent: share, windowMinutes, minimumRequests, of, id } = condition;
      return {
        error_rate: { percent: share, window_minutes: windowMinutes, minimum_requests: minimumRequests, of, id },
      };
    }
    case 'channel_state': {
      const { states, restingMs, channelId } = condition;
      return { channel_state: { states, resting_seconds: restingMs / 1_000, channel: channelId } };
    }
  }
}

/** Returns a rule in the form of its schema. */
export function alertRuleFields(rule: AlertRule) {
  const { id, name: title, enabled, condition, accounts, targets, repeatMs } = rule;
  return {
    id,
    name: title,
    enabled,
    ...conditionFields(condition),
    accounts,
    targets,
    repeat_minutes: repeatMs === null ? null : repeatMs / 60_000,
  };
}

/** Returns the problems that no single field of a rule shows. */
export function ruleProblems(input: unknown, accountId: string | null): Problem[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const rule = input as Readonly<Record<string, unknown>>;
  const given = conditionsOf(rule);
  const problems: Problem[] = [];
  const say = (path: string, message: string) => problems.push({ path: [path], message, isAboutValue: false });
  if (given.length !== 1) {
    const what = given.length === 0 ? 'is missing' : `must be exactly one, not ${given.join(' and ')}`;
    say(
      given[1] ?? 'balance_below',
      `the condition ${what}: give balance_below, budget_spent, key_limit_spent, error_rate or channel_state`,
    );
  }
  if (accountId !== null) {
    if (rule.accounts != null) say('accounts', "is only for admins' rules: this rule covers its own account");
    return problems;
  }
  const budget = rule.budget_spent as { readonly of?: unknown; readonly key?: unknown } | null | undefined;
  const isAboutKeys = rule.key_limit_spent != null || budget?.of === 'key' || budget?.key != null;
  if (isAboutKeys && rule.accounts == null) say('accounts', 'must name the accounts whose keys the rule covers');
  return problems;
}

/** Returns the rule for a checked input. */
export function ruleFrom(
  accountId: string | null,
  written: WrittenRule,
  { id, origin, nowMs }: { readonly id: string; readonly origin: Origin; readonly nowMs: number },
): AlertRule {
  const { repeat_minutes: repeat = null } = written;
  return {
    accountId,
    id,
    name: written.name ?? id,
    enabled: written.enabled ?? true,
    condition: conditionFrom(written),
    accounts: written.accounts ?? null,
    targets: written.targets ?? null,
    repeatMs: repeat === null ? null : repeat * 60_000,
    origin,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}

/** Returns the problems that no single field of a target shows. */
export function targetProblems(input: unknown): Problem[] {
  if (typeof input !== 'object' || input === null || Array.isArray(input)) return [];
  const { url, mail } = input as Readonly<Record<string, unknown>>;
  if ((url == null) !== (mail == null)) return [];
  const message = url == null ? 'is required unless mail is given' : 'cannot be combined with mail: create two targets';
  return [{ path: ['url'], message, isAboutValue: false }];
}

/** Returns the target for a checked input. */
export function targetFrom(
  accountId: string | null,
  written: WrittenTarget,
  { id, origin, nowMs }: { readonly id: string; readonly origin: Origin; readonly nowMs: number },
): AlertTarget {
  return {
    accountId,
    id,
    kind: written.url == null ? 'mail' : 'webhook',
    name: written.name ?? id,
    enabled: written.enabled ?? true,
    address: written.url ?? written.mail ?? '',
    secret: written.secret ?? null,
    previousSecret: null,
    failingSinceMs: null,
    disabled: null,
    origin,
    createdAtMs: nowMs,
    updatedAtMs: nowMs,
  };
}
