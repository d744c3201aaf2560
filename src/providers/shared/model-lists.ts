import { z } from 'zod';
import type { ModelList } from '../manifest.ts';

interface ListShape {
  /** The member that holds the list; a bare list is read as well (Together, GitHub). */
  readonly member: string;
  /** The member of an item that a request names the model by. */
  readonly id: string;
}

/** Reads the ids of a list, each once; none of what is no such list. */
export function idsIn({ member, id }: ListShape): ModelList['modelsIn'] {
  const items = z.array(z.looseObject({ [id]: z.string().min(1) }));
  const list = z.union([items, z.looseObject({ [member]: items }).transform((found) => found[member])]);
  return (json) => {
    const read = list.safeParse(json);
    const models = read.success ? (read.data as readonly Readonly<Record<string, unknown>>[]) : [];
    return [...new Set(models.map((model) => String(model[id])))];
  };
}

/** OpenAI's, `{data: [{id}, …]}`, which nearly every compatible server has. */
export const OPENAI_MODELS: ModelList = { path: '/models', modelsIn: idsIn({ member: 'data', id: 'id' }) };

/** The same of a provider that shows it to everybody, whatever the key is. */
export const OPEN_MODELS: ModelList = { ...OPENAI_MODELS, isOpen: true };
