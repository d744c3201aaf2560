import type { AuditEntry } from '../../../api/schema.ts';
import type { auditText } from '../../../text/audit.ts';
import type { auditSentences } from '../../../text/audit-sentences.ts';
import { actionName } from './action-name.ts';
import { actorName } from './actor-name.ts';

type Words = (typeof auditText)['en'];
type Sentences = (typeof auditSentences)['en'];
type Told = Pick<AuditEntry, 'action' | 'actor' | 'actor_name' | 'object_id' | 'object_name'>;

/** Returns an entry as a sentence in the reader's language: “Ada created the key CI”. */
export function auditSentence(entry: Told, words: Words, text: Sentences): string {
  const actor = actorOf(entry, words, text);
  if (entry.action === 'session.refuse') {
    return entry.actor.kind === 'person' ? text.failedSignInOf(actor) : text.failedSignIn;
  }
  const object = objectOf(entry, text);
  const { did } = text;
  if (!Object.hasOwn(did, entry.action)) return text.other(actionName(entry, words), object);
  const sentence: (object: string) => string = did[entry.action as keyof typeof did];
  return text.said(actor, sentence(object));
}

/** Returns the actor as the subject of a sentence. */
export function actorOf({ actor, actor_name: name }: Told, words: Words, { actors }: Sentences): string {
  if (actor.kind === 'person') return name || actor.name;
  if (actor.kind === 'token') return actors.token(actor.name);
  // The gateway's own reasons, such as a refused key, are in the details.
  return actor.kind === 'gateway' && !Object.hasOwn(words.selves, actor.name) && actor.name !== 'anyone'
    ? actorName(actor, words)
    : actors[actor.kind];
}

function objectOf({ action, object_id: id, object_name: name }: Told, { allAccounts }: Sentences): string {
  if (action === 'cache.clear' && id === 'all') return allAccounts;
  // An invitation without an address has only an id, which tells nobody anything.
  return name || (action.startsWith('invitation.') ? '' : id);
}
