import type { ReactNode } from 'react';
import { useWhole } from '../../../api/use-api.ts';
import { PeriodPicker } from '../../../kit/date.tsx';
import { Combobox, type Option } from '../../../kit/select.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import { useKeyNames } from './key-names.ts';
import type { PeriodInUse } from './period.ts';
import type { UsageFilter, UsageFiltersInUse } from './usage-filters.ts';

interface UsageFilterBarProps {
  readonly period: PeriodInUse;
  readonly filters: UsageFiltersInUse;
  /** `key=value` of the tags that can be chosen. */
  readonly tags: readonly string[];
  /** Further controls in the same line. */
  readonly children?: ReactNode;
}

/** The period and the filters of a page about usage. */
export function UsageFilterBar({ period, filters, tags, children }: UsageFilterBarProps) {
  const text = useText(usageText);
  const { accountId, isOperator, query } = useScope();
  const keys = useKeyNames();
  const models = useWhole('listManagedModels', { query });
  const channels = useWhole('listChannels', { query }, { enabled: isOperator });
  const isOfAccount = accountId !== null;
  const filter = (name: UsageFilter, options: readonly Option[]) => (
    <Combobox
      className="w-40 max-sm:min-w-34 max-sm:flex-1"
      label={text.filters[name]}
      placeholder={text.any[name]}
      value={filters.values[name] === '' ? undefined : filters.values[name]}
      onChange={(value) => filters.set({ [name]: value ?? '' })}
      options={options}
      isFree
    />
  );
  return (
    <section aria-label={text.filterBar} className="not-printed flex flex-wrap items-start gap-2">
      <PeriodPicker value={period.period} onChange={period.choose} />
      {isOfAccount &&
        filter(
          'key',
          [...keys].map(([id, name]) => ({ value: id, label: name, ...(name !== id && { detail: id }) })),
        )}
      {filter(
        'model',
        (models.data ?? []).map(({ id }) => ({ value: id, label: id })),
      )}
      {isOfAccount &&
        filter(
          'tag',
          tags.map((tag) => ({ value: tag, label: tag })),
        )}
      {(isOperator || filters.values.channel !== '') &&
        filter(
          'channel',
          (channels.data ?? []).map(({ id, name }) => ({ value: id, label: name, detail: id })),
        )}
      {filters.values.status !== '' &&
        filter('status', [{ value: filters.values.status, label: filters.values.status }])}
      {children}
    </section>
  );
}
