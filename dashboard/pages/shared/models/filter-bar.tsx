import type { ReactNode } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Field, TextInput } from '../../../kit/field.tsx';
import { Combobox } from '../../../kit/select.tsx';
import { modelsText } from '../../../text/models.ts';
import { useText } from '../../../text/text.tsx';
import type { useFilters } from './use-filters.ts';
import { vendorName } from './vendor-name.ts';

interface FilterBarProps {
  readonly filters: ReturnType<typeof useFilters>;
  readonly children?: ReactNode;
}

/** The filters of a list of models. */
export function FilterBar({ filters: { values, set, known, isFiltered, clear }, children }: FilterBarProps) {
  const text = useText(modelsText);
  const media: Readonly<Record<string, string>> = text.media;
  const features: Readonly<Record<string, string>> = text.features;
  return (
    <div className="grid items-end gap-3 sm:grid-cols-2 lg:grid-cols-3 xl:grid-cols-[minmax(12rem,2fr)_repeat(3,minmax(9rem,1fr))_auto]">
      <Field label={text.search}>
        <TextInput
          type="search"
          value={values.q}
          placeholder={text.searchHint}
          onChange={(event) => set({ q: event.currentTarget.value })}
        />
      </Field>
      <Field label={text.category}>
        <Combobox
          value={values.category || undefined}
          onChange={(category = '') => set({ category })}
          placeholder={text.any}
          options={known.categories.map((value) => ({ value, label: text.categories[value] }))}
        />
      </Field>
      <Field label={text.capability}>
        <Combobox
          value={values.capability || undefined}
          onChange={(capability = '') => set({ capability })}
          placeholder={text.any}
          options={known.capabilities.map((value) => ({ value, label: features[value] ?? media[value] ?? value }))}
        />
      </Field>
      <Field label={text.vendor}>
        <Combobox
          value={values.vendor || undefined}
          onChange={(vendor = '') => set({ vendor })}
          placeholder={text.any}
          options={known.vendors.map((value) => ({ value, label: vendorName(value) }))}
        />
      </Field>
      <div className="flex items-end gap-2">
        {children !== undefined && <div className="min-w-0 grow">{children}</div>}
        {isFiltered && (
          <Button variant="quiet" onClick={clear}>
            {text.clearFilters}
          </Button>
        )}
      </div>
    </div>
  );
}
