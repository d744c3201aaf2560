import type { UsageOverview } from '../../api/schema.ts';
import { useFormat } from '../../kit/format.tsx';
import { scopeOf } from '../../shell/scope.tsx';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { OverviewView } from '../shared/usage/overview-view.tsx';
import type { PeriodInUse } from '../shared/usage/period.ts';
import type { Sums } from '../shared/usage/sums.ts';
import { ErrorsPanel, RankedPanel } from '../shared/usage/tops.tsx';
import { NodesPanel } from './nodes-panel.tsx';

const HREF = '/app/operator/requests';

/** All accounts together, and the gateway's state. */
export function Page() {
  const titles = useText(shellText).pages;
  return (
    <OverviewView
      title={titles.overview}
      state={<NodesPanel />}
      panels={(overview, period) => <Panels overview={overview} period={period} />}
    />
  );
}

interface PanelsProps {
  readonly overview: UsageOverview;
  readonly period: PeriodInUse;
}

function Panels({ overview: { accounts, models, channels, errors, total }, period }: PanelsProps) {
  const text = useText(usageText);
  const format = useFormat();
  const search = { period: period.text };
  const traffic = ({ requests, errors: failed }: Sums) =>
    text.channelShare(format.percent(total.requests === 0 ? 0 : requests / total.requests), format.number(failed));
  return (
    <>
      <RankedPanel
        title={text.topAccounts}
        others={accounts?.others ?? null}
        groups={(accounts?.data ?? []).map(({ account, ...sums }) => ({
          ...{ name: account, href: `${scopeOf(account).base}/overview`, search },
          sums,
        }))}
      />
      <RankedPanel
        title={text.topModels}
        others={models.others}
        groups={models.data.map(({ model, ...sums }) => ({
          ...(model === null ? { name: text.noModel } : { name: model, href: HREF, search: { model, ...search } }),
          sums,
        }))}
      />
      <RankedPanel
        title={text.topChannels}
        others={channels.others}
        detailOf={traffic}
        groups={channels.data.map(({ channel, ...sums }) => ({
          ...(channel === null
            ? { name: text.noChannel }
            : { name: channel, href: HREF, search: { channel, ...search } }),
          sums,
        }))}
      />
      <ErrorsPanel errors={errors} href={HREF} search={search} />
    </>
  );
}
