import type { ModelCategory } from '../../domain/catalog/category.ts';

/** Names that identify the category better than the lists, which use "chat" for everything that sounds like a conversation. */
const NAMES: readonly (readonly [RegExp, ModelCategory])[] = [
  [/(?<![a-z0-9])lyria(?![a-z])/i, 'music'],
  [/rerank/i, 'rerank'],
  [/embed|(?<![a-z0-9])(?:bge|gte|e5)-/i, 'embedding'],
  [/(?<![a-z0-9])(?:flux|imagen)(?![a-z])|-image(?![a-z])/i, 'image'],
];

/** Categories of which "realtime" in a name makes a session, which has another endpoint. */
const HELD_IN_SESSIONS: ReadonlySet<ModelCategory> = new Set(['chat', 'audio', 'music']);

/**
 * Returns the category of a model that the catalog does not have: the list's, or the one that its name implies if the list's is general or
 * absent. Music follows only from the name, since neither list has a word for it.
 */
export function categoryByName(
  id: string,
  listed: ModelCategory | undefined,
  makesAudio: boolean,
): ModelCategory | undefined {
  if (/realtime/i.test(id) && (listed === undefined || HELD_IN_SESSIONS.has(listed))) return undefined;
  const named = NAMES.find(([pattern]) => pattern.test(id))?.[1];
  if (named === 'music') return named;
  if (listed !== undefined && listed !== 'chat') return listed;
  if (named !== undefined) return named;
  return makesAudio && /(?<![a-z0-9])gpt-(?:.*-)?audio(?![a-z])/i.test(id) ? 'audio' : listed;
}
