import type { UnknownPart } from '../../../domain/exchange/part.ts';
import type { RanSearch } from '../../../domain/exchange/web-search.ts';
import { isRecord } from '../../shared/json/record.ts';

/** How a client's format shows the searches that the gateway has run. */
export interface SearchWriting {
  /** Returns the parts that show a search, in the client's format. */
  shown(search: RanSearch): readonly UnknownPart[];
  /** Whether a citation applies to a whole block of text and quotes its source, as in Anthropic's format. */
  readonly citesBlocks: boolean;
}

/** The beginning of the gateway's own ids, after the format's prefix. It tells these searches from those of a provider. */
const OWN = 'sy_';

export function ownSearchId(prefix: 'ws_' | 'srvtoolu_', { id }: RanSearch): string {
  return `${prefix}${OWN}${id}`;
}

/** Returns whether the part is a search that the gateway has shown in an earlier answer. No provider can read it. */
export function isOwnSearch({ value }: UnknownPart): boolean {
  if (!isRecord(value)) return false;
  const { type, id, tool_use_id: callId } = value;
  if (type === 'web_search_call') return isOwnId(id, 'ws_');
  if (type === 'server_tool_use') return isOwnId(id, 'srvtoolu_');
  return type === 'web_search_tool_result' && isOwnId(callId, 'srvtoolu_');
}

/** Returns whether the part is a web search, or its results, whoever ran it. */
export function isAnySearch({ value }: UnknownPart): boolean {
  if (!isRecord(value)) return false;
  const { type, name } = value;
  return (
    type === 'web_search_call' ||
    type === 'web_search_tool_result' ||
    (type === 'server_tool_use' && name === 'web_search')
  );
}

function isOwnId(id: unknown, prefix: string): boolean {
  return typeof id === 'string' && id.startsWith(prefix + OWN);
}
