import type { UnknownPart } from '../../../domain/exchange/part.ts';
import { isRecord } from '../../shared/json/record.ts';
import type { SearchWriting } from '../shared/gateway-search.ts';
import { FORMAT } from './schema.ts';

/** Shows a search as a query in the candidate's `groundingMetadata`. */
export const searchWriting: SearchWriting = {
  citesBlocks: false,
  shown: ({ query }) => [{ type: 'unknown', format: FORMAT, value: { webSearchQueries: [query] } }],
};

/** Returns the queries of a part that shows a search; `null` for any other part. */
export function queriesOf({ format, value }: UnknownPart): readonly string[] | null {
  if (format !== FORMAT || !isRecord(value) || !Array.isArray(value.webSearchQueries)) return null;
  return value.webSearchQueries.filter((query) => typeof query === 'string');
}
