import { useState } from 'react';
import { useApi } from '../../api/use-api.ts';
import { BarList } from '../../kit/charts/bar-list.tsx';
import { TimeSeries } from '../../kit/charts/time-series.tsx';
import { Spend, useFormat, useMoney } from '../../kit/format.tsx';
import { costOf } from '../../kit/money.ts';
import { Stat, StatRow } from '../../kit/panel.tsx';
import { ErrorBox, Loading } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { credentialsText } from '../../text/credentials.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { filled, onSums } from '../shared/usage/buckets.ts';

const WEEK_MS = 7 * 86_400_000;
const SHOWN_MODELS = 5;

/** The spending, requests and models of a key in the last seven days. */
export function KeyUsage({ id }: { readonly id: string }) {
  const text = useText(credentialsText);
  const words = useText(usageText);
  const format = useFormat();
  const money = useMoney();
  const { query } = useScope();
  const [range] = useState(lastWeek);
  const usage = useApi('getUsageOverview', {
    query: { ...query, ...range, key: id, bucket: 'day', time_zone: format.timeZone, top: SHOWN_MODELS },
  });
  const { data } = usage;
  return (
    <section className="flex flex-col gap-3">
      <h3 className="font-semibold">{text.usage}</h3>
      {usage.error && <ErrorBox error={usage.error} onRetry={() => void usage.refetch()} />}
      {usage.isPending && <Loading />}
      {data && data.total.requests === 0 && <p className="text-soft text-sm">{text.noUsage}</p>}
      {data && data.total.requests > 0 && (
        <>
          <StatRow>
            <Stat label={text.spend} value={<Spend sums={data.total} />} />
            <Stat label={words.requests} value={format.number(data.total.requests)} />
            <Stat label={words.failed} value={format.number(data.total.errors)} />
          </StatRow>
          <TimeSeries
            {...{ kind: 'bars', isStacked: true, height: 140, label: words.requestsChart }}
            rows={filled(data.series, range, 'day').map(({ at, part }) => ({
              at,
              values: [(part?.requests ?? 0) - (part?.errors ?? 0), part?.errors ?? 0],
            }))}
            series={[{ name: words.succeeded }, { name: words.failed, tone: 'bad' }]}
            format={(value) => format.compact(value)}
          />
          <h4 className="font-medium text-sm">{text.byModel}</h4>
          <BarList
            rows={data.models.data.map(({ model, requests, ...sums }) => ({
              name: model ?? words.noModel,
              value: Number(sums.cost_usd),
              ...(costOf(sums) === null && { text: money(null) }),
              detail: words.requestCount(format.number(requests), requests === 1),
            }))}
            format={(value) => format.money(String(value))}
          />
        </>
      )}
    </section>
  );
}

function lastWeek() {
  const now = Date.now();
  return onSums({ from: new Date(now - WEEK_MS).toISOString(), to: new Date(now).toISOString() });
}
