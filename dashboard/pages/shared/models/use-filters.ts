import { useMemo } from 'react';
import { search } from '../../../kit/options.ts';
import { useSearchState } from '../../../shell/search.ts';
import type { ModelFacts } from './model-facts.tsx';

const NAMES = ['q', 'category', 'capability', 'vendor'] as const;

/** Returns the models that match the filters in the address, and the available filters. */
export function useFilters<Model extends ModelFacts>(models: readonly Model[]) {
  const { values, set } = useSearchState(NAMES);
  const { q, category, capability, vendor } = values;
  const shown = useMemo(() => {
    const left = models.filter(
      (model) =>
        (category === '' || model.category === category) &&
        (vendor === '' || model.owned_by === vendor) &&
        (capability === '' || abilitiesOf(model).includes(capability)),
    );
    return search(left, q, ({ id, name }) => `${id} ${name}`, left.length).shown;
  }, [models, q, category, capability, vendor]);
  const known = useMemo(
    () => ({
      categories: [...new Set(models.map((model) => model.category))].toSorted(),
      vendors: [...new Set(models.map((model) => model.owned_by))].toSorted(),
      capabilities: [...new Set(models.flatMap(abilitiesOf))].toSorted(),
    }),
    [models],
  );
  const isFiltered = NAMES.some((name) => values[name] !== '');
  return {
    values,
    set,
    shown,
    known,
    isFiltered,
    clear: () => set({ q: '', category: '', capability: '', vendor: '' }),
  };
}

function abilitiesOf({ capabilities }: ModelFacts): readonly string[] {
  return capabilities === null
    ? []
    : [...new Set([...capabilities.features, ...capabilities.input, ...capabilities.output])];
}
