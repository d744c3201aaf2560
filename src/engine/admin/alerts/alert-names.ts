import type { AlertRule } from '../../../domain/alerts/alert-rule.ts';
import type { AlertDelivery, AlertStore, AlertTarget } from '../../ports/alert-store.ts';
import { keysOf, type Mentioned, type Names } from '../names/read-names.ts';

/* The names of what alerts mention by id. */

/** The subject of an alert as its event has it. */
interface Subject {
  readonly type: string;
  readonly id: string;
  readonly account_id: string | null;
}

/** @param owner the owner of the rule, `null` for the operators */
export function subjectMentions(owner: string | null, subject: Subject | null): Mentioned {
  const accounts = [owner, subject?.account_id ?? null];
  if (subject === null) return { accounts };
  if (subject.type === 'account') return { accounts: [...accounts, subject.id] };
  if (subject.type === 'key') return { accounts, credentials: keysOf(subject.account_id, subject.id) };
  return subject.type === 'channel' ? { accounts, channels: [subject.id] } : { accounts };
}

/** Returns the subject with its name; `null` if it has none, as a model, which is known by its id. */
export function namedSubject<Of extends Subject>(subject: Of, names: Names) {
  const { type, id, account_id: accountId } = subject;
  const key = type === 'key' && accountId !== null ? ({ accountId, kind: 'inference', id } as const) : null;
  const name =
    type === 'account' ? names.account(id) : type === 'channel' ? names.channel(id) : key && names.credential(key);
  return { ...subject, name, account_name: names.account(accountId) };
}

/** Returns what the rule is restricted to: one key or one channel. */
function restrictionOf({ condition }: AlertRule): { readonly keyId: string | null; readonly channelId: string | null } {
  if (condition.kind === 'budget_spent' || condition.kind === 'key_limit_spent') {
    return { keyId: condition.keyId, channelId: null };
  }
  if (condition.kind === 'channel_state') return { keyId: null, channelId: condition.channelId };
  const isOfChannel = condition.kind === 'error_rate' && condition.of === 'channel';
  return { keyId: null, channelId: isOfChannel ? condition.id : null };
}

export function ruleMentions(rule: AlertRule): Mentioned {
  const { keyId, channelId } = restrictionOf(rule);
  return {
    accounts: [rule.accountId, ...(rule.accounts ?? [])],
    credentials: ownersOf(rule).flatMap((owner) => keysOf(owner, keyId)),
    channels: [channelId],
  };
}

/** Returns the names of what a rule mentions by id, as JSON. */
export function ruleNamesView(rule: AlertRule, names: Names) {
  const { keyId, channelId } = restrictionOf(rule);
  const found = ownersOf(rule).map((accountId) => names.credential({ accountId, kind: 'inference', id: keyId ?? '' }));
  const keyName = keyId === null ? null : (found.find((name) => name !== null) ?? null);
  return {
    account_name: names.account(rule.accountId),
    account_names: rule.accounts === null ? null : rule.accounts.map((id) => names.account(id) ?? id),
    subject_name: keyName ?? names.channel(channelId, rule.accountId),
  };
}

function ownersOf({ accountId, accounts }: AlertRule): readonly string[] {
  return accountId === null ? (accounts ?? []) : [accountId];
}

/** Resolves to the names of the targets of deliveries, by `targetKey`. */
export async function targetNames(
  alerts: Pick<AlertStore, 'target'>,
  deliveries: readonly AlertDelivery[],
): Promise<ReadonlyMap<string, string>> {
  const places = new Map(
    deliveries.map(({ accountId, targetId: id }) => [targetKey({ accountId, id }), { accountId, id }]),
  );
  const found = await Promise.all([...places.values()].map((place) => alerts.target(place)));
  return new Map(found.flatMap((target) => (target === null ? [] : [[targetKey(target), target.name] as const])));
}

export function targetKey({ accountId, id }: Pick<AlertTarget, 'accountId' | 'id'>): string {
  return JSON.stringify([accountId, id]);
}
