import type { ProviderWire } from '../manifest.ts';

/** `POST /rerank` as Jina has it (its published document), and most servers of such models after it. */
export const JINA_RERANK: ProviderWire = { wire: 'jina-rerank', path: '/rerank' };
