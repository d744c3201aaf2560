import { useApi } from '../../api/use-api.ts';
import { LinkButton } from '../../kit/button.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Stat, StatRow } from '../../kit/panel.tsx';
import { ErrorBox } from '../../kit/status.tsx';
import { Tabs } from '../../kit/tabs.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { balanceText } from '../../text/balance.ts';
import { shellText } from '../../text/shell.ts';
import { useText } from '../../text/text.tsx';
import { Details } from './details.tsx';
import { Ledger } from './ledger.tsx';
import { MonthStatement } from './month-statement.tsx';
import { Months } from './months.tsx';

const TABS = ['ledger', 'months', 'details'] as const;
const MONTH = /^\d{4}-\d{2}$/;
const EVERY_MS = 10_000;

/** The balance with what has changed it, by entry and by month, or the statement of one month. */
export function Page() {
  const text = useText(balanceText);
  const titles = useText(shellText).pages;
  const { values, set } = useSearchState(['tab', 'month']);
  const tab = TABS.find((one) => one === values.tab) ?? 'ledger';
  if (tab === 'months' && MONTH.test(values.month)) return <MonthStatement month={values.month} />;
  return (
    <>
      <PageHeader title={titles.balance} description={<TopUp />} actions={<AddCredit />} />
      <div className="flex flex-col gap-5">
        <Sums />
        <Tabs
          label={text.tabsLabel}
          value={tab}
          onChange={(next) => set({ tab: next === 'ledger' ? '' : next })}
          tabs={[
            { value: 'ledger', label: text.tabs.ledger, content: <Ledger /> },
            { value: 'months', label: text.tabs.months, content: <Months /> },
            { value: 'details', label: text.tabs.details, content: <Details /> },
          ]}
        />
      </div>
    </>
  );
}

function TopUp() {
  const text = useText(balanceText);
  const { isOperator } = useScope();
  return isOperator ? text.about : text.topUp;
}

function AddCredit() {
  const text = useText(balanceText);
  const { isOperator, accountId } = useScope();
  if (!isOperator || accountId === null) return null;
  return (
    <LinkButton to="/app/operator/accounts" search={{ id: accountId } as never}>
      {text.grant}
    </LinkButton>
  );
}

function Sums() {
  const text = useText(balanceText);
  const { query } = useScope();
  const { data, error, refetch } = useApi('getBalance', { query }, { every: EVERY_MS });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  return (
    <StatRow>
      <Amount label={text.balance} usd={data?.balance_usd} />
      <Amount label={text.held} usd={data?.held_usd} />
      <Amount label={text.free} usd={data?.free_usd} />
    </StatRow>
  );
}

/** An amount in cents, with the exact one below if it has fractions of a cent. */
function Amount({ label, usd }: { readonly label: string; readonly usd: string | undefined }) {
  const text = useText(balanceText);
  const format = useFormat();
  const isInCents = usd === undefined || /^-?\d+(?:\.\d{1,2}0*)?$/.test(usd);
  return (
    <Stat
      label={label}
      value={<Money usd={usd} decimals={2} />}
      {...(!isInCents && { hint: text.exactly(format.exactMoney(usd)) })}
    />
  );
}
