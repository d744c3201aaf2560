import { TextLink } from '../../kit/button.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { Badge } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { playgroundText } from '../../text/playground.ts';
import { useText } from '../../text/text.tsx';
import { type Story, useStory } from '../shared/use-story.ts';
import type { Facts } from './wire/call.ts';

interface StoryLineProps extends Facts {
  readonly firstMs?: number | null;
  /** The time measured by the page; otherwise the logged one. */
  readonly totalMs: number | null;
}

/** A summary of an answer's cost and routing, with a link to the rest. */
export function StoryLine({ requestId, routing, losses, firstMs = null, totalMs }: StoryLineProps) {
  const text = useText(playgroundText);
  const format = useFormat();
  const { accountId, base } = useScope();
  const { data: story } = useStory(accountId, requestId);
  const tokens = tokensOf(story);
  const total = totalMs ?? story?.latency_ms;
  return (
    <div className="flex flex-col gap-1 text-soft text-xs">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <dl className="contents">
          {story && (
            <Fact name={text.cost}>
              <Money usd={story.cost_usd} />
            </Fact>
          )}
          {tokens.map(([unit, amount]) => (
            <Fact key={unit} name={text.units[unit as keyof typeof text.units] ?? unit}>
              {unit === 'millisecond' ? format.duration(amount) : format.number(amount)}
            </Fact>
          ))}
          {firstMs !== null && <Fact name={text.first}>{format.duration(firstMs)}</Fact>}
          {total !== undefined && <Fact name={text.total}>{format.duration(total)}</Fact>}
          {routing && (
            <Fact name={text.channel}>
              {routing.channel ?? routing.provider ?? '–'}
              {routing.isOwn && ` (${text.ownChannel})`}
            </Fact>
          )}
        </dl>
        {routing && routing.retryCount > 0 && <Badge tone="warn">{text.retries(routing.retryCount)}</Badge>}
        {routing?.isCached === true && <Badge tone="good">{text.cached}</Badge>}
        {requestId !== null && (
          <TextLink to={`${base}/requests`} search={{ id: requestId } as never}>
            {text.story}
          </TextLink>
        )}
      </div>
      {losses.length > 0 && (
        <details>
          <summary className="cursor-pointer text-warn">{text.losses(losses.length)}</summary>
          <ul className="mt-1 list-disc pl-5">
            {losses.map(({ field, verdict, why }) => (
              <li key={`${field} ${verdict} ${why}`}>
                <code className="font-mono">{field}</code> {verdict}: {why}
              </li>
            ))}
          </ul>
        </details>
      )}
    </div>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: React.ReactNode }) {
  return (
    <div className="flex gap-1">
      <dt>{name}</dt>
      <dd className="numbers text-text">{children}</dd>
    </div>
  );
}

/** Returns amounts by unit, without zeros. */
function tokensOf(story: Story | undefined): [string, number][] {
  const sums = new Map<string, number>();
  for (const { unit, amount } of story?.usage?.quantities ?? []) sums.set(unit, (sums.get(unit) ?? 0) + amount);
  return [...sums].filter(([unit, amount]) => amount > 0 && unit !== 'request');
}
