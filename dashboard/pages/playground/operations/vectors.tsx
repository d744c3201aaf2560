import { useMemo } from 'react';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { isObject, type JsonObject, listOf, numberOf } from '../../shared/json.ts';
import { cosine, vectorOf } from './similarity.ts';

interface VectorsProps {
  readonly json: JsonObject;
  readonly texts: readonly string[];
}

/** A larger table would be unreadable. */
const MOST_COMPARED = 12;

/** Shows the vectors' dimensions, and the similarity of the texts. */
export function Vectors({ json, texts }: VectorsProps) {
  const words = useText(playgroundText);
  const vectors = useMemo(() => {
    const items = listOf(json.data).filter(isObject);
    const sorted = [...items].sort((a, b) => (numberOf(a.index) ?? 0) - (numberOf(b.index) ?? 0));
    return sorted.map(({ embedding }) => vectorOf(embedding));
  }, [json]);
  const compared = vectors.slice(0, MOST_COMPARED);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p>{words.vectors(vectors.length, vectors[0]?.length ?? 0)}</p>
      <p className="break-words font-mono text-soft text-xs">
        [
        {(vectors[0] ?? [])
          .slice(0, 8)
          .map((value) => value.toFixed(4))
          .join(', ')}
        , …]
      </p>
      {compared.length > 1 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
        <div className="overflow-x-auto" tabIndex={0}>
          <table className="numbers text-sm">
            <caption className="pb-1 text-left text-soft">{words.similarity}</caption>
            <thead>
              <tr>
                <td />
                {compared.map((_, index) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
                  <th key={index} scope="col" className="px-2 text-right font-medium">
                    {index + 1}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {compared.map((row, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
                <tr key={index}>
                  <th scope="row" className="max-w-60 truncate pr-3 text-left font-normal" title={texts[index]}>
                    {index + 1}. {texts[index]}
                  </th>
                  {compared.map((column, at) => (
                    // biome-ignore lint/suspicious/noArrayIndexKey: an answer does not change
                    <td key={at} className="border-line border-t px-2 py-0.5 text-right">
                      {cosine(row, column)?.toFixed(3) ?? '–'}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </div>
  );
}
