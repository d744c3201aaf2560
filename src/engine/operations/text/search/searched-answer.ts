import type { Citation, Part, TextPart } from '../../../../domain/exchange/part.ts';
import type { Finish } from '../../../../domain/exchange/response.ts';
import type { SearchWriting } from '../../../../formats/text/shared/gateway-search.ts';
import { CitationMarks } from './citation-marks.ts';
import type { SearchSession } from './search-session.ts';

/** Returns the parts of one round for the client: without the gateway's own calls, and with citations in place of marks. */
export function shownParts(parts: readonly Part[], session: SearchSession, writing: SearchWriting): readonly Part[] {
  return parts.flatMap((part): readonly Part[] => {
    if (part.type === 'tool-call' && session.isSearch(part)) return [];
    return part.type === 'text' ? cited(part, session, writing) : [part];
  });
}

function cited(part: TextPart, { pages }: SearchSession, { citesBlocks }: SearchWriting): readonly Part[] {
  const marks = new CitationMarks(pages, citesBlocks);
  const texts: { text: string; citations: Citation[] }[] = [];
  for (const piece of [...marks.push(part.text), ...marks.end()]) {
    const open = texts.at(-1);
    if ('citation' in piece) (open ?? added(texts)).citations.push(piece.citation);
    else if (open === undefined || (citesBlocks && open.citations.length > 0)) added(texts).text = piece.text;
    else open.text += piece.text;
  }
  if (texts.every(({ citations }) => citations.length === 0)) return [part];
  const { state, citations: own = [], ...plain } = part;
  return texts.map(({ text, citations }, index) => {
    const isLast = index === texts.length - 1;
    return {
      ...plain,
      text,
      citations: index === 0 ? [...own, ...citations] : citations,
      ...(isLast && state && { state }),
    };
  });
}

function added(texts: { text: string; citations: Citation[] }[]) {
  const text = { text: '', citations: [] };
  texts.push(text);
  return text;
}

/** Returns why the answer ended. One that ended with nothing but a search that may not run has ended. */
export function finishOf(finish: Finish, parts: readonly Part[]): Finish {
  const hasCalls = parts.some(({ type }) => type === 'tool-call');
  return finish.unified === 'tool-calls' && !hasCalls ? { unified: 'stop', raw: null } : finish;
}
