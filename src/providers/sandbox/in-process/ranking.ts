import { z } from 'zod';
import { Turns } from '../../../formats/shared/json/large-json.ts';
import { tokenThread } from '../../shared/token-thread.ts';

/** Groups of this many letters are compared, so that words with the same beginning or end count as similar. */
const LETTERS = 3;
/** Yields to other work after this many groups. */
const GROUPS_AT_ONCE = 10_000;

const request = z.object({
  model: z.string(),
  query: z.string().min(1),
  documents: z.array(z.string()).min(1),
});

export interface WrongRanking {
  readonly message: string;
  readonly param: string | null;
}

/** Returns an answer like Jina's, as JSON text. A document's score is the share of the query's groups of letters that it has. */
export async function ranking(body: unknown): Promise<string | WrongRanking> {
  const parsed = request.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return { message: issue?.message ?? 'Invalid request.', param: issue?.path.join('.') || null };
  }
  const { model, query, documents } = parsed.data;
  const wanted = new Set(groupsOf(query));
  const turns = new Turns();
  const results: { index: number; relevance_score: number }[] = [];
  for (const [index, document] of documents.entries()) {
    const found = new Set<string>();
    let looked = 0;
    for (const group of groupsOf(document)) {
      if (wanted.has(group)) found.add(group);
      if (++looked % GROUPS_AT_ONCE === 0 && turns.isOver) await turns.next();
    }
    results.push({ index, relevance_score: found.size / wanted.size });
    if (turns.isOver) await turns.next();
  }
  results.sort((one, other) => other.relevance_score - one.relevance_score);
  const ofQuery = (await tokenThread.count('sandbox', () => [query])) ?? 0;
  const ofDocuments = (await tokenThread.count('sandbox', () => documents)) ?? 0;
  const tokens = ofQuery * documents.length + ofDocuments;
  return JSON.stringify({
    model,
    object: 'list',
    usage: { prompt_tokens: tokens, total_tokens: tokens },
    results,
  });
}

function* groupsOf(text: string): Generator<string> {
  const padded = ` ${text.toLowerCase()} `;
  for (let at = 0; at + LETTERS <= padded.length; at++) yield padded.slice(at, at + LETTERS);
}
