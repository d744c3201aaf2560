import { FileDown, Printer } from 'lucide-react';
import { addressOf } from '../../api/client.ts';
import type { MonthStatement as Statement } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { Button, FileButton, TextLink } from '../../kit/button.tsx';
import { useFormat } from '../../kit/format.tsx';
import { PageHeader } from '../../kit/page.tsx';
import { Select } from '../../kit/select.tsx';
import { ErrorBox, Loading, Notice } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { useSearchState } from '../../shell/search.ts';
import { balanceText } from '../../text/balance.ts';
import { useText } from '../../text/text.tsx';
import { monthName } from '../shared/usage/amounts.ts';
import { Parties } from './parties.tsx';
import { Facts, Sums } from './statement-sums.tsx';
import { ByDay, ByKey, ByModel } from './statement-tables.tsx';

interface MonthStatementProps {
  /** Such as `2026-11`. */
  readonly month: string;
}

/** A month's changes to the balance, for the screen and for paper. */
export function MonthStatement({ month }: MonthStatementProps) {
  const text = useText(balanceText);
  const format = useFormat();
  const { query, base } = useScope();
  const statement = useApi('getStatement', { params: { month }, query: { ...query, time_zone: format.timeZone } });
  return (
    <>
      <PageHeader
        title={text.statementOf(monthName(month, format))}
        description={
          <span className="not-printed">
            <TextLink to={`${base}/balance`} search={{ tab: 'months' } as never}>
              {text.backToBalance}
            </TextLink>
          </span>
        }
        actions={<Actions month={month} statement={statement.data} />}
      />
      {statement.error && <ErrorBox error={statement.error} onRetry={() => void statement.refetch()} />}
      {statement.isPending && <Loading />}
      {statement.data && <Whole statement={statement.data} />}
    </>
  );
}

interface ActionsProps {
  readonly month: string;
  readonly statement: Statement | undefined;
}

function Actions({ month, statement }: ActionsProps) {
  const text = useText(balanceText);
  const format = useFormat();
  const { query } = useScope();
  const { set } = useSearchState(['month']);
  const months = useApi('listStatements', { query: { ...query, time_zone: format.timeZone, limit: 120 } });
  const known = months.data?.data.map((one) => one.month) ?? [];
  const options = (known.includes(month) ? known : [month, ...known]).map((value) => ({
    value,
    label: monthName(value, format),
  }));
  return (
    <>
      <div className="w-52">
        <Select label={text.month} value={month} onChange={(next) => set({ month: next })} options={options} />
      </div>
      {statement && (
        <>
          <FileButton
            icon={FileDown}
            href={addressOf('exportStatement', { params: { month }, query: { ...query, time_zone: format.timeZone } })}
          >
            {text.downloadCsv}
          </FileButton>
          <FileButton
            icon={FileDown}
            href={addressOf('exportLedger', {
              query: { ...query, from: statement.from, to: statement.to, format: 'csv' },
            })}
          >
            {text.transactionsCsv}
          </FileButton>
        </>
      )}
      <Button variant="primary" icon={Printer} disabled={!statement} onClick={() => window.print()}>
        {text.print}
      </Button>
    </>
  );
}

function Whole({ statement }: { readonly statement: Statement }) {
  const text = useText(balanceText);
  return (
    <div className="flex flex-col gap-6">
      {!statement.is_final && (
        <Notice tone="warn" title={text.notFinal}>
          {text.notFinalText}
        </Notice>
      )}
      <Parties statement={statement} />
      <div className="grid gap-6 md:grid-cols-2 print:grid-cols-2">
        <Facts statement={statement} />
        <Sums statement={statement} />
      </div>
      <ByModel statement={statement} />
      <ByKey statement={statement} />
      <ByDay statement={statement} />
    </div>
  );
}
