import { X } from 'lucide-react';
import type { ManagedModel } from '../../api/schema.ts';
import { IconButton } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { useSearchState } from '../../shell/search.ts';
import { modelsText } from '../../text/models.ts';
import { useText } from '../../text/text.tsx';
import { useFacts } from '../shared/models/model-facts.tsx';

export const MOST_COMPARED = 4;

/** Returns the models selected for comparison: `?compare=a,b`. */
export function useCompared(models: readonly ManagedModel[]) {
  const { values, set } = useSearchState(['compare']);
  const ids = values.compare === '' ? [] : values.compare.split(',').slice(0, MOST_COMPARED);
  return {
    models: ids.flatMap((id) => models.find((model) => model.id === id) ?? []),
    has: (id: string) => ids.includes(id),
    toggle: (id: string) =>
      set({
        compare: (ids.includes(id) ? ids.filter((one) => one !== id) : [...ids, id].slice(0, MOST_COMPARED)).join(','),
      }),
  };
}

interface CompareSheetProps {
  readonly models: readonly ManagedModel[];
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onRemove: (id: string) => void;
}

/** Two to four models side by side. */
export function CompareSheet({ models, isOpen, onClose, onRemove }: CompareSheetProps) {
  const text = useText(modelsText);
  const facts = useFacts();
  const rows = models.map(facts);
  return (
    <Dialog title={text.compareTitle} isOpen={isOpen} onClose={onClose} size="large">
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard */}
      <section tabIndex={0} aria-label={text.compareTitle} className="overflow-x-auto">
        <table className="w-full border-collapse text-sm">
          <thead>
            <tr className="border-line border-b align-top">
              <td className="min-w-28" />
              {models.map(({ id, name }) => (
                <th key={id} scope="col" className="min-w-44 py-2 pr-4 text-start font-semibold">
                  <span className="flex items-start justify-between gap-1">
                    <span className="min-w-0">
                      <span className="block break-words">{name}</span>
                      <span className="block break-all font-mono font-normal text-soft text-xs">{id}</span>
                    </span>
                    <IconButton icon={X} size="small" label={text.removeCompared(name)} onClick={() => onRemove(id)} />
                  </span>
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows[0]?.map(({ id, term }, at) => (
              <tr key={id} className="border-line border-b align-top last:border-b-0">
                <th scope="row" className="py-2 pr-4 text-start font-normal text-soft">
                  {term}
                </th>
                {models.map((model, column) => (
                  <td key={model.id} className="min-w-44 break-words py-2 pr-4">
                    {rows[column]?.[at]?.value}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </Dialog>
  );
}
