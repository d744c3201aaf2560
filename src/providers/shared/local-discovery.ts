import { z } from 'zod';
import type { Discovery } from '../manifest.ts';

const modelList = z.looseObject({ data: z.array(z.looseObject({ id: z.string().min(1) })) });

/** Finds a server by OpenAI's model list, `{data: [{id}, …]}`, which every local server offers. */
export function discoveryOfModels({ atStart }: { atStart: boolean }): Discovery {
  return {
    path: '/models',
    modelsIn(json) {
      const list = modelList.safeParse(json);
      return list.success ? [...new Set(list.data.data.map((model) => model.id))] : [];
    },
    atStart,
  };
}
