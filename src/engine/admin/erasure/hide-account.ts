import type { AuditEntry, AuditWords } from '../../ports/audit-log.ts';
import { hiddenWords, textPattern } from './hide-person.ts';

interface HiddenAccount {
  readonly accountId: string;
  readonly names: readonly string[];
  readonly pseudonym: string;
}

/** Members whose texts are keywords, numbers or times, never free text. */
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
 * Returns a function that replaces an account in an audit log entry by a pseudonym. It returns `null` for an entry that does not mention
 * the account.
 *
 * In the account's own entries all chosen texts are hidden: names of keys, notes, addresses of channels, tags. Ids, amounts, times and
 * settings stay. People and tokens of other accounts are unchanged. In all other entries a name of several words is hidden.
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
