import type { ProviderWire } from '../manifest.ts';

/** `POST /rerank` as Jina defines it (its published document) and most servers of such models copy it. */
export const JINA_RERANK: ProviderWire = { wire: 'jina-rerank', path: '/rerank' };
