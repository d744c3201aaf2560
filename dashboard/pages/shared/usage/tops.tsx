import type { ReactNode } from 'react';
import type { UsageOverview } from '../../../api/schema.ts';
import { TextLink } from '../../../kit/button.tsx';
import { BarList, type BarListRow } from '../../../kit/charts/bar-list.tsx';
import { useFormat, useMoney } from '../../../kit/format.tsx';
import { costOf } from '../../../kit/money.ts';
import { Panel } from '../../../kit/panel.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { useText } from '../../../text/text.tsx';
import { usageText } from '../../../text/usage.ts';
import type { Group } from './groups.ts';
import type { OverviewSearch } from './overview-view.tsx';
import type { Sums } from './sums.ts';

export interface RankedGroup {
  readonly name: string;
  readonly sums: Sums;
  readonly href?: string;
  readonly search?: Readonly<Record<string, string>>;
}

interface RankedPanelProps {
  readonly title: string;
  readonly groups: readonly RankedGroup[];
  readonly others?: Sums | null;
  /** Replaces the number of requests. */
  readonly detailOf?: (sums: Sums) => ReactNode;
  /** The group by which the usage page shows all of them, and its filters. */
  readonly explored: { readonly by: Group; readonly search: OverviewSearch };
}

/** The most expensive groups; those with the most requests if nothing had a price. */
export function RankedPanel({ title, groups, others = null, detailOf, explored }: RankedPanelProps) {
  const text = useText(usageText);
  const { base } = useScope();
  const format = useFormat();
  const money = useMoney();
  const all: readonly RankedGroup[] = others === null ? groups : [...groups, { name: text.others, sums: others }];
  const isFree = all.every(({ sums }) => Number(sums.cost_usd) === 0);
  const counted = ({ requests }: Sums) => text.requestCount(format.number(requests), requests === 1);
  const rows = all.map(({ sums, ...group }): BarListRow => {
    const detail = detailOf ? detailOf(sums) : isFree ? undefined : counted(sums);
    const isUnpriced = !isFree && costOf(sums) === null;
    return {
      ...{ ...group, value: isFree ? sums.requests : Number(sums.cost_usd) },
      ...(isUnpriced && { text: money(null) }),
      ...(detail !== undefined && { detail }),
    };
  });
  if (rows.length === 0) return null;
  const show = (value: number) => (isFree ? format.number(value) : money(String(value)));
  return (
    <Panel
      title={title}
      description={isFree ? text.byRequests : text.bySpend}
      actions={
        <TextLink
          to={`${base}/usage`}
          search={{ ...explored.search, by: explored.by, ...(isFree && { metric: 'requests' }) } as never}
        >
          {text.explore}
        </TextLink>
      }
    >
      <BarList rows={isFree ? rows.toSorted((one, other) => other.value - one.value) : rows} format={show} />
    </Panel>
  );
}

interface ErrorsPanelProps {
  readonly errors: UsageOverview['errors'];
  /** The requests page, and its query. */
  readonly href: string;
  readonly search: Readonly<Record<string, string>>;
}

export function ErrorsPanel({ errors, href, search }: ErrorsPanelProps) {
  const text = useText(usageText);
  const format = useFormat();
  const rows = errors.map(({ status, errors: count }): BarListRow => {
    if (status === null) return { name: text.noStatus, value: count };
    return { name: String(status), value: count, href, search: { ...search, status: String(status) } };
  });
  return (
    <Panel title={text.errors}>
      {rows.length === 0 ? (
        <p className="text-soft text-sm">{text.noErrors}</p>
      ) : (
        <BarList rows={rows} format={(value) => format.number(value)} />
      )}
    </Panel>
  );
}
