import type { ManagedModel } from '../../../api/schema.ts';
import type { Column } from '../../../kit/table.tsx';
import { modelsText } from '../../../text/models.ts';
import { useText } from '../../../text/text.tsx';
import { PriceCell, UnitPrices } from './prices.tsx';
import { type PriceKey, priceOf } from './pricing.ts';

/** Returns the price columns of a list of models; `unitWidth` is the track of the prices by unit. */
export function usePriceColumns(unitWidth = 'minmax(9.5rem, 1.6fr)'): readonly Column<ManagedModel>[] {
  const text = useText(modelsText);
  const now = Date.now();
  const price = (key: PriceKey, title: string, from: 'md' | 'xl'): Column<ManagedModel> => ({
    ...{ id: key, title, align: 'end', width: '5.5rem', from },
    cell: ({ pricing }) => <PriceCell pricing={pricing} of={key} />,
    sortBy: ({ pricing }) => priceOf(pricing, key, now),
  });
  return [
    price('input_per_1m', text.inputColumn, 'md'),
    price('output_per_1m', text.outputColumn, 'md'),
    price('cached_input_per_1m', text.cachedColumn, 'xl'),
    {
      ...{ id: 'unit', title: text.unitColumn, width: unitWidth, from: 'xl' },
      cell: ({ pricing, category }) => <UnitPrices pricing={pricing} category={category} />,
    },
  ];
}
