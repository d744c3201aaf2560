import { NoPrice, useFormat } from '../../../kit/format.tsx';
import { modelsText } from '../../../text/models.ts';
import { useText } from '../../../text/text.tsx';
import { shownPrice, shownUnit } from './price-units.ts';
import { currentPrices, type PriceKey, type PriceLine, priceLines } from './pricing.ts';

interface Priced {
  readonly pricing: unknown;
  /** The model's category, which decides the unit of a price of time. */
  readonly category?: string | undefined;
}

/** One price per million tokens in its own column. */
export function PriceCell({ pricing, of }: { readonly pricing: unknown; readonly of: PriceKey }) {
  const text = useText(modelsText);
  const format = useFormat();
  const prices = currentPrices(pricing, Date.now());
  if (prices === 'free') return <span>{text.free}</span>;
  // Once is enough in a row.
  if (prices === null && of === 'input_per_1m') return <NoPrice />;
  const usd = prices?.[of];
  if (typeof usd !== 'string') return <span className="text-soft">–</span>;
  return <span className="numbers whitespace-nowrap">{format.exactMoney(usd)}</span>;
}

/** Prices that are not per token, such as per image, in short. */
export function UnitPrices({ pricing, category }: Priced) {
  const words = useLineWords(category);
  if (currentPrices(pricing, Date.now()) === null) return <NoPrice />;
  const lines = priceLines(pricing, Date.now()).filter(({ key }) => !key.endsWith('_1m') && key !== 'per_web_search');
  const [shown] = lines;
  if (shown === undefined) return <span className="text-soft">–</span>;
  const all = lines.map((line) => words(line).join(': ')).join('\n');
  return (
    <span title={all} className="line-clamp-2 whitespace-normal text-sm leading-tight">
      {words(shown).toReversed().join(' ')}
    </span>
  );
}

/** The first price of a model without prices per token, where their column has no room. */
export function UnitNote({ pricing, category }: Priced) {
  const words = useLineWords(category);
  const lines = priceLines(pricing, Date.now());
  const [first] = lines;
  if (first === undefined || lines.some(({ key }) => key.endsWith('_1m'))) return null;
  return <> · {words(first).toReversed().join(' ')}</>;
}

/** A model's price on one line, if there is no room for columns. */
export function ShortPrice({ pricing, category }: Priced) {
  const text = useText(modelsText);
  const format = useFormat();
  const prices = currentPrices(pricing, Date.now());
  const byTokens = prices === 'free' ? [] : [prices?.input_per_1m, prices?.output_per_1m];
  const amounts = byTokens.filter((usd) => typeof usd === 'string').map((usd) => format.exactMoney(usd));
  return (
    <span className="numbers block truncate font-normal text-xs">
      {prices === 'free' && text.free}
      {amounts.length > 0 && text.perMillion(amounts.join(' / '))}
      {prices !== 'free' && amounts.length === 0 && <UnitPrices pricing={pricing} category={category} />}
    </span>
  );
}

/** All prices of a model, one per line. */
export function PriceList({ pricing, category }: Priced) {
  const text = useText(modelsText);
  const format = useFormat();
  const words = useLineWords(category);
  const prices = currentPrices(pricing, Date.now());
  if (prices === 'free') return <span>{text.free}</span>;
  const lines = priceLines(pricing, Date.now());
  if (lines.length === 0) return <NoPrice />;
  return (
    <ul className="text-sm">
      {lines.map(({ above, ...line }, place) => {
        const [name, amount] = words(line);
        const isFirst = above !== undefined && above !== lines[place - 1]?.above;
        return (
          <li
            key={`${line.key} ${line.variant ?? ''} ${above ?? ''}`}
            className="grid grid-cols-[minmax(0,1fr)_auto] items-end gap-x-4"
          >
            {isFirst && (
              <span className="col-span-2 block pt-1.5 first-letter:uppercase">
                {text.above(format.compact(above))}
              </span>
            )}
            <span className="text-soft">{name}</span>
            <span className="numbers">{amount}</span>
          </li>
        );
      })}
    </ul>
  );
}

/** Returns a function that names a price, with its variant and the prompt length above which it applies. */
export function usePriceName(category?: string): (line: Omit<PriceLine, 'usd'>) => string {
  const text = useText(modelsText);
  const format = useFormat();
  return ({ key, variant, above }) => {
    const of = variant === undefined ? '' : ` (${variant})`;
    const from = above === undefined ? '' : `, ${text.above(format.compact(above))}`;
    return `${text.prices[shownUnit(key, category)]}${of}${from}`;
  };
}

/** Returns a function that formats a stored price in the unit that its name says. */
export function usePriceAmount(category?: string): (key: PriceKey, usd: string) => string {
  const format = useFormat();
  return (key, usd) => format.exactMoney(shownPrice(usd, shownUnit(key, category)));
}

function useLineWords(category: string | undefined): (line: PriceLine) => readonly [name: string, amount: string] {
  const nameOf = usePriceName(category);
  const amountOf = usePriceAmount(category);
  return (line) => [nameOf(line), amountOf(line.key, line.usd)];
}
