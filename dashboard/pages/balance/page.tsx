import { useApi } from '../../api/use-api.ts';
import { TextLink } from '../../kit/button.tsx';
import { Money } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Stat, StatRow } from '../../kit/panel.tsx';
import { ErrorBox } from '../../kit/status.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { balanceText } from '../../text/balance.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { Ledger } from './ledger.tsx';
import { Months } from './months.tsx';

const TABS = ['ledger', 'months'] as const;
const EVERY_MS = 10_000;

export function Page() {
  const text = useText(balanceText);
  const titles = useText(shellText).pages;
  const { values, set } = useSearchState(['tab']);
  const tab = TABS.find((one) => one === values.tab) ?? 'ledger';
  return (
    <>
      <PageHeader title={titles.balance} description={<TopUp />} />
      <div className="flex flex-col gap-5">
        <Sums />
        <Tabs
          label={text.tabsLabel}
          value={tab}
          onChange={(next) => set({ tab: next === 'ledger' ? '' : next })}
          tabs={[
            { value: 'ledger', label: text.tabs.ledger, content: <Ledger /> },
            { value: 'months', label: text.tabs.months, content: <Months /> },
          ]}
        />
      </div>
    </>
  );
}

function TopUp() {
  const text = useText(balanceText);
  const { isOperator, accountId } = useScope();
  if (!isOperator || accountId === null) return text.topUp;
  return (
    <TextLink to="/app/operator/accounts" search={{ id: accountId } as never}>
      {text.grant}
    </TextLink>
  );
}

function Sums() {
  const text = useText(balanceText);
  const { query } = useScope();
  const { data, error, refetch } = useApi('getBalance', { query }, { every: EVERY_MS });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  return (
    <StatRow>
      <Stat label={text.balance} value={<Money usd={data?.balance_usd} isExact />} />
      <Stat label={text.held} value={<Money usd={data?.held_usd} isExact />} />
      <Stat label={text.free} value={<Money usd={data?.free_usd} isExact />} />
    </StatRow>
  );
}
