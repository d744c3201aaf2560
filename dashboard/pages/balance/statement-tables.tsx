import { useId } from 'react';
import type { MonthStatement } from '../../api/schema.ts';
import { Spend, useFormat } from '../../kit/format.tsx';
import { balanceText } from '../../text/balance.ts';
import { useText } from '../../text/text.tsx';
import { decimalsOf } from '../shared/usage/amounts.ts';
import { type Sums, tokensOf } from '../shared/usage/sums.ts';

interface StatementProps {
  readonly statement: MonthStatement;
}

export function ByModel({ statement: { by_model: models, usage } }: StatementProps) {
  const text = useText(balanceText);
  const rows = models.data.map((sums) => ({ name: sums.model ?? text.noModel, sums }));
  return <SumTable title={text.byModel} what={text.model} rows={rows} others={models.others} total={usage} />;
}

export function ByKey({ statement: { by_key: keys, usage } }: StatementProps) {
  const text = useText(balanceText);
  const isTwice = (name: string | null) => keys.data.filter((one) => one.name === name).length > 1;
  const rows = keys.data.map(({ key, name, ...sums }) => ({
    // Names need not be unique.
    name: key === null ? text.noKey : isTwice(name) ? `${name} (${key})` : (name ?? key),
    title: key ?? undefined,
    sums,
  }));
  return <SumTable title={text.byKey} what={text.key} rows={rows} others={keys.others} total={usage} />;
}

export function ByDay({ statement: { by_day: days, usage } }: StatementProps) {
  const text = useText(balanceText);
  const { locale } = useFormat();
  const day = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' });
  const rows = days.map((sums) => ({ name: day.format(Date.parse(sums.date)), sums }));
  return <SumTable title={text.byDay} what={text.day} rows={rows} others={null} total={usage} />;
}

interface SumTableProps {
  readonly title: string;
  /** The header of the first column. */
  readonly what: string;
  readonly rows: readonly { readonly name: string; readonly title?: string | undefined; readonly sums: Sums }[];
  readonly others: Sums | null;
  readonly total: Sums;
}

/** The columns of all tables are in line. */
const HEAD = 'px-3 py-1.5 text-right font-medium sm:w-1/5 print:w-1/5';
/** Hidden on a phone. */
const WIDE = 'hidden sm:table-cell print:table-cell';

/** Renders all rows, unlike `DataTable`, because paper does not scroll. */
function SumTable({ title, what, rows, others, total }: SumTableProps) {
  const text = useText(balanceText);
  const id = useId();
  const decimals = decimalsOf([...rows.map(({ sums }) => sums), total].map(({ cost_usd }) => cost_usd));
  return (
    <section aria-labelledby={id} className="min-w-0">
      <h2 id={id} className="mb-2 font-semibold">
        {title}
      </h2>
      {rows.length === 0 ? (
        <p className="text-soft text-sm">{text.nothingUsed}</p>
      ) : (
        <div className="overflow-x-auto rounded-lg border border-line bg-panel print:overflow-visible print:rounded-none print:border-x-0">
          <table className="w-full text-sm">
            <thead>
              <tr className="border-line border-b text-soft">
                <th scope="col" className="px-3 py-1.5 text-left font-medium">
                  {what}
                </th>
                <th scope="col" className={HEAD}>
                  {text.requests}
                </th>
                <th scope="col" className={`${HEAD} ${WIDE}`}>
                  {text.tokens}
                </th>
                <th scope="col" className={HEAD}>
                  {text.cost}
                </th>
              </tr>
            </thead>
            <tbody>
              {rows.map(({ name, title: hint, sums }) => (
                <SumLine key={hint ?? name} name={name} title={hint} sums={sums} decimals={decimals} />
              ))}
              {others && <SumLine name={text.others} sums={others} decimals={decimals} />}
            </tbody>
            <tfoot className="font-semibold">
              <SumLine name={text.total} sums={total} decimals={decimals} />
            </tfoot>
          </table>
        </div>
      )}
    </section>
  );
}

interface SumLineProps {
  readonly name: string;
  readonly title?: string | undefined;
  readonly sums: Sums;
  readonly decimals: number;
}

function SumLine({ name, title, sums, decimals }: SumLineProps) {
  const format = useFormat();
  return (
    <tr className="break-inside-avoid border-line border-b last:border-b-0">
      <th
        scope="row"
        title={title}
        className="min-w-24 px-3 py-1 text-left [font-weight:inherit] [overflow-wrap:anywhere]"
      >
        {name}
      </th>
      <td className="numbers px-3 py-1 text-right">{format.number(sums.requests)}</td>
      <td className={`numbers px-3 py-1 text-right ${WIDE}`}>{format.number(tokensOf(sums))}</td>
      <td className="numbers px-3 py-1 text-right">
        <Spend sums={sums} isExact decimals={decimals} />
      </td>
    </tr>
  );
}
