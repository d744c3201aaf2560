import type { MonthStatement } from '../../api/schema.ts';
import { useBrand } from '../../kit/brand.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { Definitions, Panel } from '../../kit/panel.tsx';
import { balanceText } from '../../text/balance.ts';
import { useText } from '../../text/text.tsx';
import { decimalsOf } from '../shared/usage/amounts.ts';

interface StatementProps {
  readonly statement: MonthStatement;
}

/** The statement's account and period. */
export function Facts({ statement: { account, customer, from, to, time_zone: zone } }: StatementProps) {
  const text = useText(balanceText);
  const { name } = useBrand();
  const format = useFormat();
  return (
    <Panel title={name}>
      <Definitions
        items={[
          { term: text.account, value: customer.account_name },
          { term: text.accountId, value: <span className="font-mono">{account}</span> },
          { term: text.period, value: `${format.minute(from)} – ${format.minute(to)}` },
          { term: text.zone, value: zone },
          { term: text.madeAt, value: format.time(Date.now()) },
        ]}
      />
    </Panel>
  );
}

/** The exact opening balance, changes and closing balance of the month. */
export function Sums({ statement }: StatementProps) {
  const text = useText(balanceText);
  const lines = [
    [text.grants, statement.grants_usd],
    [text.refunds, statement.refunds_usd],
    [text.adjustments, statement.adjustments_usd],
    [text.charges, statement.charges_usd],
  ] as const;
  const all = [statement.opening_usd, ...lines.map(([, usd]) => usd), statement.closing_usd];
  const decimals = decimalsOf(all);
  return (
    <Panel title={text.sums}>
      <table className="w-full text-sm">
        <tbody>
          <Line name={text.openingBalance} usd={statement.opening_usd} decimals={decimals} isStrong />
          {lines.map(([name, usd]) => (
            <Line key={name} name={name} usd={usd} decimals={decimals} />
          ))}
          <Line name={text.closingBalance} usd={statement.closing_usd} decimals={decimals} isStrong />
        </tbody>
      </table>
    </Panel>
  );
}

interface LineProps {
  readonly name: string;
  readonly usd: string;
  readonly decimals: number;
  readonly isStrong?: boolean;
}

function Line({ name, usd, decimals, isStrong = false }: LineProps) {
  const weight = isStrong ? 'font-semibold' : 'font-normal';
  return (
    <tr className="border-line border-b last:border-b-0">
      <th scope="row" className={`py-1.5 text-left ${weight}`}>
        {name}
      </th>
      <td className={`py-1.5 text-right ${weight}`}>
        <Money usd={usd} isExact decimals={decimals} />
      </td>
    </tr>
  );
}
