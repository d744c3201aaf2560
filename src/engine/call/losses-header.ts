import type { Loss } from '../../domain/exchange/loss.ts';
import { asciiJson } from '../../domain/text/ascii-json.ts';

/** Proxies in front of us commonly take 8 KiB of headers in all. */
const MAX_CHARACTERS = 3_000;

/**
 * The value of `x-switchyard-losses`: a JSON array of what the request lost on its way, or `null` where it lost nothing.
 * What does not fit is counted in a last entry, so that nothing goes unsaid.
 */
export function lossesHeader(losses: readonly Loss[]): string | null {
  if (losses.length === 0) return null;
  const shown: string[] = [];
  let length = 2;
  for (const loss of losses) {
    const json = asciiJson(loss);
    if (length + json.length > MAX_CHARACTERS) break;
    shown.push(json);
    length += json.length + 1;
  }
  const hidden = losses.length - shown.length;
  if (hidden > 0) shown.push(asciiJson({ field: '…', verdict: 'dropped', why: `and ${hidden} more` }));
  return `[${shown.join(',')}]`;
}
