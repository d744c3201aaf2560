import { z } from 'zod';
import { mayConnectTo, parseAddressRange, parseNetworkAddress } from '../../../domain/access/network-address.ts';
import { flag, listOf, MAP } from '../../../providers/shared/file-fields.ts';
import { DEFAULT_ALERTS } from '../../settings/settings.ts';
import type { FieldPath, Problem } from '../admin-error.ts';
import type { ConfiguredAlerts } from '../configuration/configuration.ts';
import {
  balanceBelowSchema,
  budgetSpentSchema,
  channelStateSchema,
  configuredRuleSchema,
  configuredTargetSchema,
  errorRateSchema,
  keyLimitSpentSchema,
  ruleFrom,
  ruleProblems,
  targetFrom,
  targetProblems,
} from './alert.ts';
import { addressRange } from './settings.ts';
import { duplicates, field, list, text } from './unchecked.ts';

export const alertsSchema = z.strictObject(
  {
    allow_http: flag.nullish(),
    allowed_ranges: listOf(addressRange, 'address ranges').nullish(),
    denied_ranges: listOf(addressRange, 'address ranges').nullish(),
    webhooks: listOf(configuredTargetSchema, 'webhooks').optional(),
    rules: listOf(configuredRuleSchema, 'rules').optional(),
  },
  MAP,
);

export const ALERT_FIELDS: Readonly<Record<string, readonly string[]>> = {
  alerts: Object.keys(alertsSchema.shape),
  'alerts.webhooks': Object.keys(configuredTargetSchema.shape),
  'alerts.rules': Object.keys(configuredRuleSchema.shape),
  'alerts.rules.balance_below': Object.keys(balanceBelowSchema.shape),
  'alerts.rules.budget_spent': Object.keys(budgetSpentSchema.shape),
  'alerts.rules.key_limit_spent': Object.keys(keyLimitSpentSchema.shape),
  'alerts.rules.error_rate': Object.keys(errorRateSchema.shape),
  'alerts.rules.channel_state': Object.keys(channelStateSchema.shape),
};

/** The time is set when the configuration is applied. */
const UNDATED = { origin: 'config', nowMs: 0 } as const;

export function alertsFrom(section: z.output<typeof alertsSchema>): ConfiguredAlerts {
  return {
    settings: {
      allowHttp: section.allow_http ?? DEFAULT_ALERTS.allowHttp,
      allowedRanges: section.allowed_ranges ?? DEFAULT_ALERTS.allowedRanges,
      deniedRanges: section.denied_ranges ?? DEFAULT_ALERTS.deniedRanges,
    },
    targets: (section.webhooks ?? []).map((target) => targetFrom(null, target, { id: target.id, ...UNDATED })),
    rules: (section.rules ?? []).map((rule) => ruleFrom(null, rule, { id: rule.id, ...UNDATED })),
  };
}

/** Returns the problems that no single field of the section shows. */
export function alertsProblems(configuration: unknown): Problem[] {
  const section = field(configuration, 'alerts');
  const webhooks = list(field(section, 'webhooks'));
  const rules = list(field(section, 'rules'));
  const known = new Set(webhooks.map((one) => text(one, 'id')));
  const ids = (name: string, objects: readonly unknown[]) =>
    duplicates(objects.map((object, at) => [['alerts', name, at, 'id'], text(object, 'id')]));
  return [
    ...ids('webhooks', webhooks),
    ...ids('rules', rules),
    ...webhooks.flatMap((target, at) => webhookProblems(target, ['alerts', 'webhooks', at], section, configuration)),
    ...rules.flatMap((rule, at) => [
      ...below(['alerts', 'rules', at], ruleProblems(rule, null)),
      ...list(field(rule, 'targets')).flatMap((id, index) =>
        typeof id !== 'string' || known.has(id)
          ? []
          : [problem(['alerts', 'rules', at, 'targets', index], 'is not the id of a target in alerts.webhooks', true)],
      ),
    ]),
  ];
}

function webhookProblems(target: unknown, path: FieldPath, section: unknown, configuration: unknown): Problem[] {
  const url = text(target, 'url');
  const problems = below(path, targetProblems(target));
  if (url !== undefined && field(target, 'secret') == null) {
    const how = 'from the environment; create one with: echo "whsec_$(openssl rand -base64 32)"';
    problems.push(problem([...path, 'secret'], `is required in a file, ${how}`, false));
  }
  problems.push(...webhookAddressProblems(url, [...path, 'url'], section));
  if (field(target, 'mail') != null && field(configuration, 'mail') == null) {
    problems.push(problem([...path, 'mail'], 'requires the section mail, which names the mail server', false));
  }
  return problems;
}

/**
 * Returns the problems of a webhook's URL, of an alert or a guard. Names are resolved at each delivery.
 *
 * @param section the file's `alerts`, which says what is allowed
 */
export function webhookAddressProblems(url: string | undefined, path: FieldPath, section: unknown): Problem[] {
  const allowsHttp = field(section, 'allow_http');
  if (url?.startsWith('http:') && allowsHttp !== true && allowsHttp !== 'true') {
    return [problem(path, 'use an https:// URL, or set alerts.allow_http', false)];
  }
  if (url === undefined || !isForbidden(url, section)) return [];
  const message = 'is a private or reserved address: use a public one, or add its range to alerts.allowed_ranges';
  return [problem(path, message, false)];
}

/** Returns whether the host is an address to which no webhook is sent. Names are resolved at each delivery. */
function isForbidden(url: string, section: unknown): boolean {
  const host = URL.parse(url)?.hostname.replace(/^\[|\]$/g, '');
  const address = host === undefined ? null : parseNetworkAddress(host);
  const ranges = (name: string) =>
    list(field(section, name)).flatMap((one) => {
      const parsed = typeof one === 'string' ? parseAddressRange(one) : null;
      return parsed?.ok === true ? [parsed.range] : [];
    });
  const rules = { allowedRanges: ranges('allowed_ranges'), deniedRanges: ranges('denied_ranges') };
  return address !== null && !mayConnectTo(address, rules);
}

function below(path: FieldPath, problems: readonly Problem[]): Problem[] {
  return problems.map((one) => ({ ...one, path: [...path, ...one.path] }));
}

function problem(path: FieldPath, message: string, isAboutValue: boolean): Problem {
  return { path, message, isAboutValue };
}
