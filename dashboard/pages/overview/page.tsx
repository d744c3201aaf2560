import { useScope } from '../../shell/scope.tsx';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { usageText } from '../../text/usage.ts';
import { OverviewView } from '../shared/usage/overview-view.tsx';
import { ErrorsPanel, RankedPanel } from '../shared/usage/tops.tsx';
import { BalancePanel } from './balance-panel.tsx';

export function Page() {
  const text = useText(shellText);
  const words = useText(usageText);
  const { base } = useScope();
  const href = `${base}/requests`;
  return (
    <OverviewView
      title={text.pages.overview}
      state={<BalancePanel />}
      panels={({ models, keys, errors }, search) => (
        <>
          <RankedPanel
            title={words.topKeys}
            explored={{ by: 'key', search }}
            others={keys?.others ?? null}
            groups={(keys?.data ?? []).map(({ key, key_name: name, ...sums }) => ({
              ...(key === null ? { name: words.noKey } : { name: name || key, href, search: { ...search, key } }),
              sums,
            }))}
          />
          <RankedPanel
            title={words.topModels}
            explored={{ by: 'model', search }}
            others={models.others}
            groups={models.data.map(({ model, ...sums }) => ({
              ...(model === null ? { name: words.noModel } : { name: model, href, search: { ...search, model } }),
              sums,
            }))}
          />
          <ErrorsPanel errors={errors} href={href} search={search} />
        </>
      )}
    />
  );
}
