import type { AuditEntry, AuditFields } from '../../ports/audit-log.ts';
import type { Store } from '../../ports/store.ts';
import { targetKey } from '../alerts/target-names.ts';
import { type Ids, Names } from '../names.ts';
import type { Page } from '../page.ts';

/** The names of what audit entries mention by id. Names at the time of the change are preferred: the object may be gone. */
export interface AuditNames {
  readonly names: Names;
  /** The names of users, by id. */
  readonly people: ReadonlyMap<string, string>;
  /** The names of alert rules and targets, by kind and `targetKey`. */
  readonly alerts: ReadonlyMap<string, string>;
}

type Stores = Pick<Store, 'directory' | 'people' | 'alerts'>;
export interface NamedEntry extends AuditNames {
  readonly item: AuditEntry;
}

/** Adds the names of objects, accounts and people to a page of entries. */
export async function namedEntries(
  { directory, people, alerts }: Stores,
  page: Page<AuditEntry>,
): Promise<Page<NamedEntry>> {
  const { items } = page;
  const users = new Set(items.flatMap((entry) => usersIn(entry)));
  const [names, persons, ofAlerts] = await Promise.all([
    Names.of(directory, items.flatMap(idsIn)),
    people.usersOf([...users]),
    alertNames(alerts, items),
  ]);
  const named = new Map(persons.map(({ id, name }) => [id, name]));
  return { ...page, items: items.map((item) => ({ item, names, people: named, alerts: ofAlerts })) };
}

/** Returns the names in an entry, as JSON. */
export function auditNamesView({ item, names, people, alerts }: NamedEntry) {
  const { actor, accountId } = item;
  return {
    account_name: names.account(accountId),
    actor_name: actor.kind === 'person' && actor.id !== null ? (people.get(actor.id) ?? null) : null,
    object_name: nameThen(item) ?? nameNow(item, { names, people, alerts }),
  };
}

/** Returns the name that the object had when it was changed. */
function nameThen({ before, after }: AuditEntry): string | null {
  return textIn(after, 'name') ?? textIn(before, 'name') ?? textIn(after, 'email') ?? textIn(before, 'email');
}

function nameNow({ action, accountId, objectId }: AuditEntry, { names, people, alerts }: AuditNames): string | null {
  const kind = kindOf(action);
  if (kind === 'key') return names.key(accountId, objectId);
  if (kind === 'channel') return names.channel(objectId, accountId);
  if (ACCOUNTS.has(kind)) return names.account(objectId);
  if (ALERTS.has(kind)) return alerts.get(`${kind} ${targetKey({ accountId, id: objectId })}`) ?? null;
  return people.get(objectId) ?? null;
}

/** The kinds of actions whose object is an account. */
const ACCOUNTS: ReadonlySet<string> = new Set(['account', 'balance', 'capture', 'cache']);
const ALERTS: ReadonlySet<string> = new Set(['alert_rule', 'alert_target']);
/** The kinds of actions whose object is a user. */
const USERS: ReadonlySet<string> = new Set([...['user', 'member', 'session', 'two_factor', 'passkey', 'credential']]);

function idsIn({ action, accountId, objectId }: AuditEntry): readonly Ids[] {
  const kind = kindOf(action);
  if (kind === 'key') return [{ account: accountId, key: objectId }];
  if (kind === 'channel') return [{ account: accountId, channel: objectId }];
  return ACCOUNTS.has(kind) ? [{ account: accountId }, { account: objectId }] : [{ account: accountId }];
}

function usersIn({ action, actor, objectId }: AuditEntry): readonly string[] {
  const actors = actor.kind === 'person' && actor.id !== null ? [actor.id] : [];
  return USERS.has(kindOf(action)) ? [...actors, objectId] : actors;
}

/** Reads each rule and target once; a page rarely has more than a few. */
async function alertNames(
  alerts: Stores['alerts'],
  entries: readonly AuditEntry[],
): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, Promise<{ readonly name: string } | null>>();
  for (const entry of entries) {
    const kind = kindOf(entry.action);
    const place = { accountId: entry.accountId, id: entry.objectId };
    const key = `${kind} ${targetKey(place)}`;
    if (!ALERTS.has(kind) || found.has(key) || nameThen(entry) !== null) continue;
    found.set(key, kind === 'alert_rule' ? alerts.rule(place) : alerts.target(place));
  }
  const all = await Promise.all([...found].map(async ([key, one]) => [key, await one] as const));
  return new Map(all.flatMap(([key, one]) => (one === null ? [] : [[key, one.name] as const])));
}

function kindOf(action: string): string {
  return action.split('.')[0] ?? action;
}

function textIn(fields: AuditFields | null, name: string): string | null {
  const value = fields?.[name];
  return typeof value === 'string' && value !== '' ? value : null;
}
