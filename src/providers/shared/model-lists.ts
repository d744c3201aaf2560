import { z } from 'zod';
import type { ModelList } from '../manifest.ts';

interface ListShape {
  /** The member that holds the list; a bare list is accepted as well (Together, GitHub). */
  readonly member: string;
  /** The member of an item that holds the id used in requests. */
  readonly id: string;
}

/** Returns a reader for the ids of a list, each once; it returns none if the list is invalid. */
export function idsIn({ member, id }: ListShape): ModelList['modelsIn'] {
  const items = z.array(z.looseObject({ [id]: z.string().min(1) }));
  const list = z.union([items, z.looseObject({ [member]: items }).transform((found) => found[member])]);
  return (json) => {
    const read = list.safeParse(json);
    const models = read.success ? (read.data as readonly Readonly<Record<string, unknown>>[]) : [];
    return [...new Set(models.map((model) => String(model[id])))];
  };
}

/** OpenAI's list, `{data: [{id}, …]}`, which nearly every compatible server has. */
export const OPENAI_MODELS: ModelList = { path: '/models', modelsIn: idsIn({ member: 'data', id: 'id' }) };

/** The same for a provider whose list is public, whatever the key is. */
export const OPEN_MODELS: ModelList = { ...OPENAI_MODELS, isOpen: true };
