import type { AlertCondition, AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { MeasuredAlert } from '../../alerts/measure-raised.ts';
import type { StoredEvent } from '../../ports/alert-store.ts';
import { type Ids, type NameSource, Names } from '../names.ts';
import type { Page } from '../page.ts';
import { activeAlertView, alertEventView } from './alert-records.ts';
import { alertRuleView } from './alert-rules.ts';

/* Views of alerts with the names of their accounts, keys and channels. */

/** Resolves to a rule as JSON, with the names of its owner, of its accounts, and of the one key or channel of its condition. */
export async function namedRule(source: NameSource, rule: AlertRule) {
  return ruleView(rule, await Names.of(source, idsOfRule(rule)));
}

export async function namedRulePage(source: NameSource, page: Page<AlertRule>) {
  const names = await Names.of(source, page.items.flatMap(idsOfRule));
  return { ...page, items: page.items.map((rule) => ruleView(rule, names)) };
}

function ruleView(rule: AlertRule, names: Names) {
  return {
    ...names.in(alertRuleView(rule)),
    account_names: rule.accounts?.map((id) => names.account(id)) ?? null,
    subject_name: subjectNameOf(names, rule),
  };
}

function idsOfRule(rule: AlertRule): readonly Ids[] {
  const { key, channel } = idsOfCondition(rule.condition);
  const accounts = rule.accounts?.map((account) => ({ account })) ?? [];
  return [{ account: rule.accountId, key, channel }, ...accounts];
}

function idsOfCondition(condition: AlertCondition) {
  switch (condition.kind) {
    case 'budget_spent':
    case 'key_limit_spent':
      return { key: condition.keyId, channel: null };
    case 'channel_state':
      return { key: null, channel: condition.channelId };
    case 'error_rate':
      return { key: null, channel: condition.of === 'channel' ? condition.id : null };
    default:
      return { key: null, channel: null };
  }
}

function subjectNameOf(names: Names, { accountId, condition }: AlertRule): string | null {
  const { key, channel } = idsOfCondition(condition);
  return names.key(accountId, key) ?? names.channel(channel, accountId);
}

export async function namedActiveAlerts(source: NameSource, page: Page<MeasuredAlert>) {
  const views = page.items.map(activeAlertView);
  const names = await Names.of(source, views.flatMap(idsAbout));
  return { ...page, items: views.map((view) => withSubject(view, names)) };
}

export async function namedEvent(source: NameSource, event: StoredEvent) {
  const view = alertEventView(event);
  return withSubject(view, await Names.of(source, idsAbout(view)));
}

export async function namedEventPage(source: NameSource, page: Page<StoredEvent>) {
  const views = page.items.map(alertEventView);
  const names = await Names.of(source, views.flatMap(idsAbout));
  return { ...page, items: views.map((view) => withSubject(view, names)) };
}

interface Subject {
  /** `account`, `key`, `model` or `channel`; for an event about a target, its kind. */
  readonly type: string;
  readonly id: string;
  readonly account_id: string | null;
}

interface AboutSubject {
  readonly account: string | null;
  readonly subject: Subject;
}

function idsAbout({ account, subject: { type, id, account_id: of } }: AboutSubject): readonly Ids[] {
  if (type === 'account') return [{ account }, { account: id }];
  if (type === 'key') return [{ account }, { account: of, key: id }];
  return type === 'channel' ? [{ account }, { account: of, channel: id }] : [{ account }, { account: of }];
}

function withSubject<View extends AboutSubject>(view: View, names: Names) {
  const { subject } = view;
  const account_name = names.account(subject.account_id);
  return { ...names.in(view), subject: { ...subject, name: nameOf(view, names), account_name } };
}

/** Returns the name of a subject; `null` for a model, whose id people read. */
function nameOf({ account, subject: { type, id, account_id: of } }: AboutSubject, names: Names): string | null {
  if (type === 'account') return names.account(id);
  if (type === 'key') return names.key(of, id);
  return type === 'channel' ? names.channel(id, of ?? account) : null;
}
