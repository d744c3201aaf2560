import type { SearchWriting } from '../shared/gateway-search.ts';

/** Chat completions show the sources of an answer, but not its searches. */
export const searchWriting: SearchWriting = { citesBlocks: false, shown: () => [] };
