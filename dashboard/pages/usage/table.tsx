import type { UsageBreakdown } from '../../api/schema.ts';
import { TextLink } from '../../kit/button.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { costOf } from '../../kit/money.ts';
import { type Column, DataTable } from '../../kit/table.tsx';
import type { Width } from '../../kit/width.ts';
import { scopeOf, useScope } from '../../shell/scope.tsx';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { usageExplorerText } from '../../text/usage-explorer.ts';
import { useGroupNames, useGroupTitle } from '../shared/usage/groups.ts';
import { type DetailedSums, METRICS, type Metric, shareOf, useMetricFormat } from '../shared/usage/metrics.ts';
import { narrowedTo, nextGroup, type TableRow, tableRows } from './rows.ts';
import type { Explorer } from './use-explorer.ts';

/** The columns besides that of the chosen metric, and the window from which there is room for each. */
const COLUMNS: readonly (readonly [Metric, Width | undefined])[] = [
  ['spend', 'sm'],
  ['requests', 'sm'],
  ['error_rate', 'md'],
  ['input_tokens', 'xl'],
  ['cached_input_tokens', 'xl'],
  ['output_tokens', 'lg'],
  ['latency_p50', 'xl'],
  ['latency_p95', 'lg'],
];

interface UsageTableProps {
  readonly explorer: Explorer;
  readonly breakdown: UsageBreakdown;
  readonly top: number;
}

/** The groups with all of their measures. */
export function UsageTable({ explorer, breakdown, top }: UsageTableProps) {
  const { metric, by, within } = explorer;
  const text = useText(usageExplorerText);
  const words = useText(usageText);
  const titleOf = useGroupTitle();
  const format = useFormat();
  const rows = tableRows(breakdown, by, within);
  const name = words.metrics[metric];
  const label = within === null ? text.table(name, titleOf(by)) : text.tableOfTwo(name, titleOf(by), titleOf(within));
  const short: Readonly<Record<Metric, string>> = {
    ...text.columns,
    ...{ requests: text.requestsShort, input_tokens: text.inputShort, cached_input_tokens: text.cachedShort },
    ...{ output_tokens: text.outputShort, cache_hits: text.cacheHitsShort },
  };
  const column = (of: Metric, from?: Width): Column<TableRow> => ({
    ...{ id: of, title: short[of], align: 'end', width: of === 'spend' ? '5.5rem' : '4.5rem', ...(from && { from }) },
    cell: ({ sums, kind }) => (
      <span className={kind === 'total' ? 'font-medium' : ''}>
        {of === 'spend' ? <Money usd={costOf(sums)} /> : <Value metric={of} sums={sums} />}
      </span>
    ),
  });
  const columns: readonly Column<TableRow>[] = [
    {
      ...{ id: 'group', title: within === null ? titleOf(by) : `${titleOf(by)} / ${titleOf(within)}` },
      width: 'minmax(8rem, 1fr)',
      cell: (row) => <Name row={row} explorer={explorer} top={top} />,
    },
    column(metric),
    ...(METRICS[metric].isSum
      ? [
          {
            ...{ id: 'share', title: text.share, align: 'end' as const, width: '4rem', from: 'md' as const },
            cell: ({ sums }: TableRow) => {
              const share = shareOf(metric, sums, breakdown.total);
              return share === null ? '–' : format.percent(share);
            },
          },
        ]
      : []),
    ...COLUMNS.flatMap(([of, from]) => (of === metric ? [] : [column(of, from)])),
  ];
  return <DataTable label={label} columns={columns} rows={{ items: rows }} keyOf={({ key }) => key} empty={null} />;
}

/** A measure; tokens are rounded, with the exact number as the title. */
function Value({ metric, sums }: { readonly metric: Metric; readonly sums: DetailedSums }) {
  const format = useMetricFormat();
  const value = METRICS[metric].of(sums);
  if (!metric.endsWith('tokens')) return format(metric, value);
  return <span title={format(metric, value)}>{format(metric, value, true)}</span>;
}

interface NameProps extends Pick<UsageTableProps, 'explorer' | 'top'> {
  readonly row: TableRow;
}

/** The name of a row, which leads into it. */
function Name({ row, explorer, top }: NameProps) {
  const text = useText(usageExplorerText);
  const nameOf = useGroupNames();
  const { base, accountId } = useScope();
  const { by, within, metric, period, filters } = explorer;
  const { group, ids, kind, parent } = row;
  if (group === null) {
    const name = kind === 'total' ? text.total : parent === null ? text.others(top) : text.othersWithin;
    return (
      <span className={kind === 'total' ? 'font-medium' : parent === null ? 'text-soft' : 'ps-4 text-soft'}>
        {name}
      </span>
    );
  }
  const name = nameOf(group, ids);
  const look = parent === null ? 'font-medium' : 'ms-4';
  const narrow = narrowedTo(row, by);
  if (narrow === null) return <span className={look}>{name}</span>;
  const { account, ...filter } = narrow;
  const isOfAll = accountId === null && account === undefined;
  const next = nextGroup(row, by, within, isOfAll);
  const search = { ...filters.query, ...filter, period: period.text, by: next, metric };
  const to = `${account === undefined ? base : scopeOf(account).base}/usage`;
  return (
    <TextLink to={to} search={search as never} className={look} title={Object.values(narrow).join(' · ')}>
      {name}
    </TextLink>
  );
}
