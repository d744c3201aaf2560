import { Field } from '../../kit/field.tsx';
import { Select } from '../../kit/select.tsx';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { usageExplorerText } from '../../text/usage-explorer.ts';
import { type Group, isPair, useGroupTitle } from '../shared/usage/groups.ts';
import { METRIC_NAMES } from '../shared/usage/metrics.ts';
import { groupsWithin } from '../shared/usage/use-groups.ts';
import type { Explorer } from './use-explorer.ts';

interface ControlsProps {
  readonly explorer: Explorer;
  readonly groups: readonly Group[];
}

/** The choice of metric, groups and interval. */
export function Controls({ explorer, groups }: ControlsProps) {
  const text = useText(usageExplorerText);
  const words = useText(usageText);
  const titleOf = useGroupTitle();
  const { metric, by, within, interval, intervals, set } = explorer;
  const options = (some: readonly Group[], chosen: Group | null) => {
    const all = chosen === null || some.includes(chosen) ? some : [...some, chosen];
    return all.map((group) => ({ value: group as string, label: titleOf(group) }));
  };
  const regroup = (next: string) => {
    const isKept = within !== null && isPair(next as Group, within);
    set({ by: next, ...(!isKept && { within: '' }) });
  };
  return (
    <div className="grid grid-cols-2 gap-3 md:grid-cols-4">
      <Field label={text.metric}>
        <Select
          value={metric}
          onChange={(next) => set({ metric: next === 'spend' ? '' : next })}
          options={METRIC_NAMES.map((name) => ({ value: name, label: words.metrics[name] }))}
        />
      </Field>
      <Field label={text.groupBy}>
        <Select value={by as string} onChange={regroup} options={options(groups, by)} />
      </Field>
      <Field label={text.thenBy}>
        <Select
          value={within ?? 'none'}
          onChange={(next) => set({ within: next === 'none' ? '' : next })}
          options={[{ value: 'none', label: text.nothing }, ...options(groupsWithin(by, groups), within)]}
        />
      </Field>
      <Field label={text.interval}>
        <Select
          value={interval ?? 'auto'}
          onChange={(next) => set({ interval: next === 'auto' ? '' : next })}
          options={(['auto', ...intervals] as const).map((value) => ({ value, label: text.intervals[value] }))}
        />
      </Field>
    </div>
  );
}
