import { CircleAlert, CircleCheck } from 'lucide-react';
import type { ShownRequest } from '../../api/schema.ts';
import { Money, useFormat } from '../../kit/format.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { sumOf } from '../shared/usage/amounts.ts';
import { Section } from './section.tsx';

type Part = NonNullable<ShownRequest['price']>['parts'][number];

/** The price by part, with a check that the parts add up to the charge. */
export function Price({ request: { price, cost_usd: cost } }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const format = useFormat();
  if (price === null) return null;
  const sum = sumOf(price.parts.map(({ amount_usd }) => amount_usd));
  const isWhole = cost !== null && sumOf([cost]) === sum;
  return (
    <Section title={text.price}>
      <table className="w-full text-sm">
        <thead className="sr-only">
          <tr>
            <th scope="col">{text.part}</th>
            <th scope="col">{text.amount}</th>
          </tr>
        </thead>
        <tbody>
          {price.parts.map((part, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: two parts may be alike
            <tr key={index} className="border-line border-b">
              <th scope="row" className="py-1.5 pe-4 text-start font-normal">
                <PartName part={part} />
              </th>
              <td className="numbers py-1.5 text-end align-top whitespace-nowrap">
                {format.exactMoney(part.amount_usd)}
              </td>
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr className="font-semibold">
            <th scope="row" className="py-1.5 pe-4 text-start">
              {text.sum}
            </th>
            <td className="numbers py-1.5 text-end whitespace-nowrap">{format.exactMoney(sum)}</td>
          </tr>
        </tfoot>
      </table>
      {cost !== null && (
        <p className={`flex items-center gap-1.5 text-sm ${isWhole ? 'text-good' : 'text-bad'}`}>
          {isWhole ? <CircleCheck aria-hidden size={15} /> : <CircleAlert aria-hidden size={15} />}
          <span>
            {isWhole ? text.sumIsCharge : text.sumIsNotCharge} <Money usd={cost} isExact />
          </span>
        </p>
      )}
    </Section>
  );
}

function PartName({
  part: { kind, unit, amount, variant, unit_price_usd: price, per, factor },
}: {
  readonly part: Part;
}) {
  const text = useText(requestsText);
  const format = useFormat();
  if (kind !== 'usage' || unit === undefined || amount === undefined) return text.partKinds[kind];
  const name = text.units[unit as keyof typeof text.units] ?? unit;
  return (
    <>
      {name}
      {variant !== undefined && <span className="text-soft"> {variant}</span>}
      {price !== undefined && (
        <span className="numbers block text-soft text-xs">
          {format.number(amount)} × {format.exactMoney(price)}
          {per !== undefined && per !== 1 && ` / ${format.number(per)}`}
          {factor !== undefined && ` × ${factor}`}
        </span>
      )}
    </>
  );
}
