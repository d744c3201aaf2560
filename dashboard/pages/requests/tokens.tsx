import { useFormat } from '../../kit/format.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { Section } from './section.tsx';
import { isToken, type Usage } from './usage.ts';

const COLOURS = ['bg-series-0', 'bg-series-1', 'bg-series-2', 'bg-series-3', 'bg-series-4', 'bg-series-5'] as const;

/** The usage by part; the parts do not overlap. */
export function Tokens({ usage }: { readonly usage: Usage }) {
  const text = useText(requestsText);
  const format = useFormat();
  const used = (usage?.quantities ?? []).filter(({ amount, unit }) => amount > 0 && unit !== 'request');
  if (usage === null || used.length === 0) return null;
  const tokens = used.filter(isToken);
  const all = tokens.reduce((sum, { amount }) => sum + amount, 0);
  const colours = new Map(tokens.map((one, index) => [one, COLOURS[index % COLOURS.length] ?? COLOURS[0]]));
  return (
    <Section title={text.usage} about={usage.source === 'estimated' ? text.estimated : text.reported}>
      {all > 0 && (
        <div aria-hidden className="mb-2 flex h-3 gap-px overflow-hidden rounded-sm bg-sunken">
          {tokens.map((one) => (
            <span
              key={`${one.unit} ${one.variant}`}
              className={colours.get(one)}
              style={{ width: `${(one.amount / all) * 100}%` }}
            />
          ))}
        </div>
      )}
      <dl className="text-sm">
        {used.map((one) => (
          <div
            key={`${one.unit} ${one.variant}`}
            className="flex items-center gap-2 border-line border-b py-1 last:border-b-0"
          >
            <dt className="flex min-w-0 flex-1 items-center gap-2">
              <span aria-hidden className={`size-2.5 shrink-0 rounded-xs ${colours.get(one) ?? 'bg-strong-line'}`} />
              <span className="min-w-0 break-words">
                {text.units[one.unit as keyof typeof text.units] ?? one.unit}
                {one.variant !== undefined && <span className="text-soft"> {one.variant}</span>}
              </span>
            </dt>
            <dd className="numbers">{format.number(one.amount)}</dd>
          </div>
        ))}
      </dl>
    </Section>
  );
}
