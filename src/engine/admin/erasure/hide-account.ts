import type { AuditEntry, AuditWords } from '../../ports/audit-log.ts';
import { hiddenWords, textPattern } from './hide-person.ts';

interface HiddenAccount {
  readonly accountId: string;
  readonly names: readonly string[];
  readonly pseudonym: string;
}

/** Texts of these members are one of a few words, a number or a time, never what somebody has written. */
const TELLING_NOTHING = new Set([
  'role',
  'billing',
  'capture',
  'strategy',
  'kind',
  'per',
  'provider',
  'type',
  'status',
]);
const AMOUNT_OR_TIME = /^-?\d+(\.\d+)?$|^\d{4}-\d\d-\d\dT[\d:.]+Z$/;

/**
 * Returns what puts a pseudonym in place of an account in an entry of the audit log, and gives `null` for an entry that does not tell of it.
 *
 * In the account's own entries every text is hidden that somebody has chosen: names of keys, notes, addresses of channels, tags. Ids, amounts,
 * times and settings stay. Persons and tokens of other accounts are told as they were. In all other entries a name of several words is hidden.
 */
export function accountHider(account: HiddenAccount): (entry: AuditEntry) => AuditEntry | null {
  const { accountId, names, pseudonym } = account;
  const patterns = names.filter((name) => /\s/u.test(name.trim())).map(textPattern);
  const hide = (text: string) => patterns.reduce((rest, pattern) => rest.replace(pattern, pseudonym), text);
  return (entry) => {
    const isOwn = entry.accountId === accountId;
    const { actor } = entry;
    const isOwnToken = actor.kind === 'token' && actor.id?.startsWith(`${accountId}/`) === true;
    const words = (of: AuditWords | null) => (isOwn ? hiddenTexts(of, account) : hiddenWords(of, hide));
    const rewritten: AuditEntry = {
      ...entry,
      actor: isOwnToken ? { ...actor, name: pseudonym } : actor,
      address: (isOwn || isOwnToken) && entry.address !== null ? pseudonym : entry.address,
      before: words(entry.before),
      after: words(entry.after),
    };
    return JSON.stringify(rewritten) === JSON.stringify(entry) ? null : rewritten;
  };
}

function hiddenTexts(words: AuditWords | null, account: HiddenAccount): AuditWords | null {
  if (words === null) return null;
  return Object.fromEntries(Object.entries(words).map(([name, value]) => [name, hiddenText(name, value, account)]));
}

function hiddenText(name: string, value: unknown, account: HiddenAccount): unknown {
  if (typeof value === 'string') {
    const stays = TELLING_NOTHING.has(name) || AMOUNT_OR_TIME.test(value) || isId(name) || value === account.accountId;
    return stays ? value : account.pseudonym;
  }
  if (Array.isArray(value)) return value.map((item) => hiddenText(name, item, account));
  if (typeof value !== 'object' || value === null) return value;
  return hiddenTexts(value as AuditWords, account);
}

function isId(name: string): boolean {
  return name === 'id' || name.endsWith('_id');
}
