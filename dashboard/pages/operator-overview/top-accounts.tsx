import { useApi } from '../../api/use-api.ts';
import { useFormat } from '../../kit/format.tsx';
import { scopeOf } from '../../shell/scope.tsx';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import type { PeriodInUse } from '../shared/usage/period.ts';
import { RankedPanel } from '../shared/usage/tops.tsx';

const SHOWN = 8;
/** The largest page: sums by account come by their names, not by what they cost. */
const READ = 1_000;

export function TopAccounts({ period }: { readonly period: PeriodInUse }) {
  const text = useText(usageText);
  const format = useFormat();
  const usage = useApi(
    'getUsage',
    { query: { from: period.range.from, to: period.range.to, group_by: 'account', limit: READ } },
    { every: period.every, keepPrevious: true },
  );
  if (usage.data === undefined) return null;
  const { data, has_more: hasMore } = usage.data;
  const dearest = data.toSorted((one, other) => {
    return Number(other.cost_usd) - Number(one.cost_usd) || other.requests - one.requests;
  });
  return (
    <RankedPanel
      title={text.topAccounts}
      groups={dearest.slice(0, SHOWN).map(({ account = '', from, to, ...sums }) => ({
        ...{ name: account, href: `${scopeOf(account).base}/overview`, search: { period: period.text } },
        sums,
      }))}
      {...(hasMore && { note: text.firstAccounts(format.number(READ)) })}
    />
  );
}
