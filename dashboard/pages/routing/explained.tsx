import type { ReactNode } from 'react';
import type { RoutingExplanation } from '../../api/schema.ts';
import { Money } from '../../kit/format.tsx';
import { Named } from '../../kit/named.tsx';
import { Definitions, Panel } from '../../kit/panel.tsx';
import { Badge, Notice, type Tone } from '../../kit/status.tsx';
import { routingText } from '../../text/routing.ts';
import { useText } from '../../text/text.tsx';

interface ExplainedProps {
  readonly explanation: RoutingExplanation;
}

/** The result of a dry run. */
export function Explained({ explanation }: ExplainedProps) {
  const text = useText(routingText);
  const { error, model, rules, steps } = explanation;
  return (
    <>
      {error === null ? (
        <Notice tone="good" title={text.wouldAsk(model ?? '–')} isLive />
      ) : (
        <Notice tone="bad" title={text.refused} isLive>
          <p>{error.message}</p>
          {error.hint !== null && <p className="mt-1 text-soft">{error.hint}</p>}
        </Notice>
      )}
      <Facts explanation={explanation} />
      {(rules ?? []).map((one) => (
        <Rules key={one.model} model={one} />
      ))}
      {steps.length > 0 && (
        <Panel title={text.stepsTitle}>
          <ol className="flex flex-col gap-1 text-sm">
            {steps.map(({ kind, from, to, reason }) => (
              <li key={`${from} ${to}`} className="break-words">
                <Badge>{text.steps[kind] ?? kind}</Badge> {from} → {to} <span className="text-soft">{reason}</span>
              </li>
            ))}
          </ol>
        </Panel>
      )}
      <Channels explanation={explanation} />
    </>
  );
}

function Facts({
  explanation: { requested_model: requested, format, strategy, reservation, fallbacks },
}: ExplainedProps) {
  const text = useText(routingText);
  const cost =
    reservation === null ? (
      text.free
    ) : reservation.most_usd === null ? (
      text.unknownCost
    ) : (
      <>
        <Money usd={reservation.most_usd} /> ({reservation.reserved ? text.reserved : text.recorded})
      </>
    );
  return (
    <Panel>
      <Definitions
        items={[
          { term: text.requested, value: requested ?? '–' },
          { term: text.format, value: format },
          ...(strategy === null
            ? []
            : [{ term: text.strategy, value: `${strategy.name} (${text.strategyFrom[strategy.from]})` }]),
          ...(fallbacks.length === 0 ? [] : [{ term: text.fallbacks, value: fallbacks.join(' → ') }]),
          { term: text.cost, value: cost },
        ]}
      />
    </Panel>
  );
}

type RuledModel = NonNullable<RoutingExplanation['rules']>[number];
type ExplainedRule = RuledModel['rules'][number];

const TONES: Readonly<Record<ExplainedRule['verdict'], Tone>> = {
  taken: 'good',
  conditions: 'neutral',
  skipped: 'warn',
  'not-reached': 'neutral',
};

function Rules({ model }: { readonly model: RuledModel }) {
  const text = useText(routingText);
  return (
    <Panel title={text.rulesOf(model.model)} isFlush>
      <Table label={text.rulesOf(model.model)} titles={[text.rule, text.compared, text.leadsTo, text.verdict]}>
        {model.rules.map(({ number, name, checks, model: target, verdict }) => (
          <tr key={number} className={ROW}>
            <th scope="row" className={`${CELL} font-normal`}>
              {number}
              {name !== null && <span className="ms-2">{name}</span>}
            </th>
            <td className={CELL}>
              {checks.length === 0 && <span className="text-soft">{text.isDefault}</span>}
              <ul>
                {checks.map(({ condition, wanted, value, holds }) => (
                  <li key={condition} className={holds ? '' : 'text-soft'}>
                    {holds ? '✓' : '✗'} <code className="font-mono text-xs">{condition}</code>{' '}
                    {text.check(value, wanted)}
                  </li>
                ))}
              </ul>
            </td>
            <td className={`${CELL} break-all`}>{target}</td>
            <td className={CELL}>
              <Badge tone={TONES[verdict]}>{text.verdicts[verdict]}</Badge>
            </td>
          </tr>
        ))}
      </Table>
    </Panel>
  );
}

function Channels({ explanation: { channels, shared_channels: shared } }: ExplainedProps) {
  const text = useText(routingText);
  const hidden = shared - channels.filter((one) => !one.private).length;
  return (
    <Panel title={text.channels} isFlush {...(hidden > 0 && { description: text.shared(hidden) })}>
      {channels.length === 0 ? (
        <p className="p-4 text-soft text-sm">{text.noChannels}</p>
      ) : (
        <Table label={text.channels} titles={[text.position, text.channel, text.why, text.how]}>
          {channels.map((one) => (
            <tr key={`${one.channel} ${one.upstream_key ?? ''}`} className={ROW}>
              <td className={`${CELL} numbers`}>{one.position ?? '–'}</td>
              <th scope="row" className={`${CELL} text-start font-normal`}>
                <Named name={one.name} id={one.channel} />
                {one.upstream_key !== null && <span className="text-soft"> · {one.upstream_key}</span>}
              </th>
              <td className={CELL}>
                {one.reasons.join('; ')}
                {one.error !== null && <p className="text-soft">{one.error.message}</p>}
              </td>
              <td className={CELL}>
                {one.lane === null ? '–' : text.lanes[one.lane]} <span className="text-soft">{one.format}</span>
                {one.losses.length > 0 && (
                  <p className="text-soft">{text.losses(one.losses.map(({ field }) => field).join(', '))}</p>
                )}
              </td>
            </tr>
          ))}
        </Table>
      )}
    </Panel>
  );
}

const ROW = 'border-line border-b align-top last:border-b-0';
const CELL = 'px-3 py-2 text-start';

interface TableProps {
  readonly label: string;
  readonly titles: readonly string[];
  readonly children: ReactNode;
}

function Table({ label, titles, children }: TableProps) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by the keyboard
    <section tabIndex={0} aria-label={label} className="overflow-x-auto">
      <table className="w-full border-collapse text-sm">
        <thead>
          <tr className="border-line border-b text-soft">
            {titles.map((title) => (
              <th key={title} scope="col" className={`${CELL} font-medium`}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
    </section>
  );
}
