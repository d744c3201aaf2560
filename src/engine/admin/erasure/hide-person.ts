import type { AuditActor, AuditEntry, AuditWords } from '../../ports/audit-log.ts';
import type { Erasure } from '../../ports/erasure-store.ts';

type Person = Pick<Erasure, 'userId' | 'email' | 'names' | 'pseudonym'>;

/**
 * Returns a function that replaces a person in an audit log entry by a pseudonym. It returns `null` for an entry that does not mention the
 * person.
 *
 * The id, the address and names of several words are hidden everywhere. A name of one word may be a common word ("User", "Mark"), so it is
 * hidden only in entries that mention the person by id or by address. Neither is hidden within a longer word or address.
 */
export function personHider(person: Person): (entry: AuditEntry) => AuditEntry | null {
  const { userId, email, pseudonym } = person;
  const names = person.names.filter((name) => name.trim() !== '').toSorted((a, b) => b.length - a.length);
  const marks = [textPattern(userId), addressPattern(email)];
  const longNames = names.filter((name) => /\s/u.test(name.trim())).map(textPattern);
  const allNames = names.map(textPattern);
  const hidden = (text: string, patterns: readonly RegExp[]) =>
    patterns.reduce((rest, pattern) => rest.replace(pattern, pseudonym), text);
  return (entry) => {
    const isTheirs = entry.actor.kind === 'person' && entry.actor.id === userId;
    const texts = JSON.stringify([entry.actor.name, entry.objectId, entry.before, entry.after]);
    const isAbout = isTheirs || hidden(texts, marks) !== texts;
    const patterns = [...marks, ...(isAbout ? allNames : longNames)];
    const hide = (text: string) => hidden(text, patterns);
    const rewritten: AuditEntry = {
      ...entry,
      actor: isTheirs ? hiddenActor(entry.actor, pseudonym) : { ...entry.actor, name: hide(entry.actor.name) },
      address: isTheirs && entry.address !== null ? pseudonym : entry.address,
      objectId: hide(entry.objectId),
      before: hiddenWords(entry.before, hide),
      after: hiddenWords(entry.after, hide),
    };
    return JSON.stringify(rewritten) === JSON.stringify(entry) ? null : rewritten;
  };
}

function hiddenActor(actor: AuditActor, pseudonym: string): AuditActor {
  return { ...actor, id: pseudonym, name: pseudonym };
}

export function hiddenWords(words: AuditWords | null, hide: (text: string) => string): AuditWords | null {
  if (words === null) return null;
  return Object.fromEntries(Object.entries(words).map(([name, value]) => [name, hiddenValue(value, hide)]));
}

function hiddenValue(value: unknown, hide: (text: string) => string): unknown {
  if (typeof value === 'string') return hide(value);
  if (Array.isArray(value)) return value.map((item) => hiddenValue(item, hide));
  if (typeof value !== 'object' || value === null) return value;
  return hiddenWords(value as AuditWords, hide);
}

export function textPattern(text: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}_])${escaped(text.trim())}(?![\\p{L}\\p{N}_])`, 'gu');
}

/** Returns a pattern for the address alone: `ann@example.com` is neither a part of `joann@example.com` nor of `ann@example.com.au`. */
function addressPattern(email: string): RegExp {
  return new RegExp(`(?<![\\p{L}\\p{N}._%+-])${escaped(email)}(?![\\p{L}\\p{N}-]|\\.[\\p{L}\\p{N}])`, 'giu');
}

function escaped(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/-]/g, (sign) => (sign === '-' ? '\\x2d' : `\\${sign}`));
}
