import type { AlertRule, CreateAlertRuleRequest } from '../../api/schema.ts';
import { numberSaid, said } from '../shared/written.ts';

/** A rule in its form: texts, empty if not set. */
export interface RuleValues {
  name: string;
  enabled: boolean;
  type: AlertRule['type'];
  usd: string;
  percent: string;
  budgetOf: 'account' | 'key';
  key: string;
  windowMinutes: string;
  minimumRequests: string;
  errorsOf: 'account' | 'model' | 'channel';
  subject: string;
  states: string[];
  restingSeconds: string;
  channel: string;
  accounts: string[];
  targets: string[];
  repeatMinutes: string;
}

export function valuesOf(rule: AlertRule | null): RuleValues {
  const { balance_below, budget_spent, key_limit_spent, error_rate, channel_state } = rule ?? {};
  const percent = budget_spent?.percent ?? key_limit_spent?.percent ?? error_rate?.percent;
  return {
    name: rule?.name ?? '',
    enabled: rule?.enabled ?? true,
    type: rule?.type ?? 'balance_below',
    usd: balance_below?.usd ?? '',
    percent: percent?.toString() ?? '',
    budgetOf: budget_spent?.of ?? 'account',
    key: budget_spent?.key ?? key_limit_spent?.key ?? '',
    windowMinutes: String(error_rate?.window_minutes ?? 5),
    minimumRequests: String(error_rate?.minimum_requests ?? 20),
    errorsOf: error_rate?.of ?? 'account',
    subject: error_rate?.id ?? '',
    states: [...(channel_state?.states ?? ['blocked', 'resting'])],
    restingSeconds: String(channel_state?.resting_seconds ?? 60),
    channel: channel_state?.channel ?? '',
    accounts: [...(rule?.accounts ?? [])],
    targets: [...(rule?.targets ?? [])],
    repeatMinutes: rule?.repeat_minutes?.toString() ?? '',
  };
}

/** Returns the body for the API; `null` resets a member to its default. */
export function bodyOf(values: RuleValues, isOfOperators: boolean): CreateAlertRuleRequest {
  const name = values.name.trim();
  return {
    ...(name !== '' && { name }),
    enabled: values.enabled,
    [values.type]: conditionOf(values),
    ...(isOfOperators && { accounts: listOf(values.accounts) }),
    targets: listOf(values.targets),
    repeat_minutes: numberSaid(values.repeatMinutes),
  };
}

function conditionOf(values: RuleValues) {
  const percent = numberSaid(values.percent);
  switch (values.type) {
    case 'balance_below':
      return { usd: values.usd.trim() };
    case 'budget_spent':
      return { percent, of: values.budgetOf, key: values.budgetOf === 'key' ? said(values.key) : null };
    case 'key_limit_spent':
      return { percent, key: said(values.key) };
    case 'error_rate':
      return {
        percent,
        window_minutes: numberSaid(values.windowMinutes),
        minimum_requests: numberSaid(values.minimumRequests),
        of: values.errorsOf,
        id: values.errorsOf === 'account' ? null : said(values.subject),
      };
    case 'channel_state':
      return {
        states: values.states,
        resting_seconds: numberSaid(values.restingSeconds),
        channel: said(values.channel),
      };
  }
}

function listOf(texts: readonly string[]): readonly string[] | null {
  return texts.length === 0 ? null : texts;
}

/** The form's fields for members of the API. */
export const FIELD_OF = {
  'balance_below.usd': 'usd',
  'budget_spent.percent': 'percent',
  'budget_spent.of': 'budgetOf',
  'budget_spent.key': 'key',
  'key_limit_spent.percent': 'percent',
  'key_limit_spent.key': 'key',
  'error_rate.percent': 'percent',
  'error_rate.window_minutes': 'windowMinutes',
  'error_rate.minimum_requests': 'minimumRequests',
  'error_rate.of': 'errorsOf',
  'error_rate.id': 'subject',
  'channel_state.states': 'states',
  'channel_state.resting_seconds': 'restingSeconds',
  'channel_state.channel': 'channel',
  repeat_minutes: 'repeatMinutes',
} as const;
