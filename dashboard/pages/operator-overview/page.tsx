import type { UsageOverview } from '../../api/schema.ts';
import { useFormat } from '../../kit/format.tsx';
import { scopeOf } from '../../shell/scope.tsx';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { type OverviewSearch, OverviewView } from '../shared/usage/overview-view.tsx';
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
      panels={(overview, search) => <Panels overview={overview} search={search} />}
    />
  );
}

interface PanelsProps {
  readonly overview: UsageOverview;
  readonly search: OverviewSearch;
}

function Panels({ overview: { accounts, models, channels, errors, total }, search }: PanelsProps) {
  const text = useText(usageText);
  const format = useFormat();
  const traffic = ({ requests, errors: failed }: Sums) =>
    text.channelShare(format.percent(total.requests === 0 ? 0 : requests / total.requests), format.number(failed));
  return (
    <>
      <RankedPanel
        title={text.topAccounts}
        explored={{ by: 'account', search }}
        others={accounts?.others ?? null}
        groups={(accounts?.data ?? []).map(({ account, account_name: name, ...sums }) => ({
          ...{ name: name || account, href: `${scopeOf(account).base}/overview`, search },
          sums,
        }))}
      />
      <RankedPanel
        title={text.topModels}
        explored={{ by: 'model', search }}
        others={models.others}
        groups={models.data.map(({ model, ...sums }) => ({
          ...(model === null ? { name: text.noModel } : { name: model, href: HREF, search: { ...search, model } }),
          sums,
        }))}
      />
      <RankedPanel
        title={text.topChannels}
        explored={{ by: 'channel', search }}
        others={channels.others}
        detailOf={traffic}
        groups={channels.data.map(({ channel, channel_name: name, ...sums }) => ({
          ...(channel === null
            ? { name: text.noChannel }
            : { name: name || channel, href: HREF, search: { ...search, channel } }),
          sums,
        }))}
      />
      <ErrorsPanel errors={errors} href={HREF} search={search} />
    </>
  );
}
