import { useScope } from '../../shell/scope.tsx';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { useKeyNames } from '../shared/usage/key-names.ts';
import { OverviewView } from '../shared/usage/overview-view.tsx';
import { ErrorsPanel, RankedPanel } from '../shared/usage/tops.tsx';
import { BalancePanel } from './balance-panel.tsx';

export function Page() {
  const text = useText(shellText);
  const words = useText(usageText);
  const { base } = useScope();
  const keyNames = useKeyNames();
  const href = `${base}/requests`;
  return (
    <OverviewView
      title={text.pages.overview}
      state={<BalancePanel />}
      panels={({ models, keys, errors }, { text: period }) => (
        <>
          <RankedPanel
            title={words.topModels}
            others={models.others}
            groups={models.data.map(({ model, ...sums }) => ({
              ...(model === null ? { name: words.noModel } : { name: model, href, search: { model, period } }),
              sums,
            }))}
          />
          <RankedPanel
            title={words.topKeys}
            others={keys?.others ?? null}
            groups={(keys?.data ?? []).map(({ key, ...sums }) => ({
              ...(key === null
                ? { name: words.noKey }
                : { name: keyNames.get(key) ?? key, href, search: { key, period } }),
              sums,
            }))}
          />
          <ErrorsPanel errors={errors} href={href} search={{ period }} />
        </>
      )}
    />
  );
}
