import { DatabaseZap, Play, Radio } from 'lucide-react';
import type { ShownRequest } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { LinkButton } from '../../kit/button.tsx';
import { CopyButton, CopyText } from '../../kit/copy.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { Money, Time } from '../../kit/format.tsx';
import { Badge, ErrorBox, Loading } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { ReportCached } from '../shared/cache/report-cached.tsx';
import { Attempts } from './attempts.tsx';
import { Capture } from './capture.tsx';
import { Facts } from './facts.tsx';
import { Failure } from './failure.tsx';
import { Price } from './price.tsx';
import { Section } from './section.tsx';
import { StatusBadge } from './status-badge.tsx';
import { Steps, type StepsProps } from './steps.tsx';
import { TimeLine } from './time-line.tsx';
import { Tokens } from './tokens.tsx';

interface StorySheetProps extends StepsProps {
  readonly onClose: () => void;
}

/** All details of one request; `id` is `''` while closed. */
export function StorySheet({ onClose, ...steps }: StorySheetProps) {
  const text = useText(requestsText);
  const { id } = steps;
  return (
    <Sheet
      title={text.request}
      description={
        <span className="flex flex-wrap items-center justify-between gap-x-3">
          <CopyText text={id} label={text.copyId} />
          {id !== '' && <Steps {...steps} />}
        </span>
      }
      isOpen={id !== ''}
      onClose={onClose}
      size="large"
    >
      {id !== '' && <Story key={id} id={id} />}
    </Sheet>
  );
}

function Story({ id }: { readonly id: string }) {
  const { query } = useScope();
  const { data, error, refetch } = useApi('getRequest', { params: { id }, query });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return <Told request={data} />;
}

function Told({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const { mayOwn } = useScope();
  const { losses, guards, ledger, time_line: times } = request;
  return (
    <div className="flex flex-col gap-5">
      <Failure request={request} />
      <Head request={request} />
      {request.recovered && <p className="text-sm text-soft">{text.recoveredWhy}</p>}
      <Facts request={request} />
      {times !== null && (
        <Section title={text.timeLine}>
          <TimeLine times={times} />
        </Section>
      )}
      <Attempts request={request} />
      <Tokens usage={request.usage} />
      <Price request={request} />
      {losses.length > 0 && (
        <Section title={text.losses} about={text.lossesAbout}>
          <ul className="flex flex-col gap-1.5 text-sm">
            {losses.map(({ field, verdict, why }) => (
              <li key={field} className="flex flex-wrap items-baseline gap-x-2">
                <code className="font-mono text-xs break-all">{field}</code>
                <Badge tone="warn">{text.verdicts[verdict as keyof typeof text.verdicts] ?? verdict}</Badge>
                <span className="min-w-0 basis-full break-words text-soft">{why}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {guards.length > 0 && (
        <Section title={text.guards}>
          <ul className="flex flex-col gap-1.5 text-sm">
            {guards.map(({ guard, rule, stage, action, count }) => (
              <li key={`${guard} ${rule} ${stage} ${action}`} className="flex flex-wrap items-baseline gap-x-2">
                <code className="font-mono text-xs break-all">
                  {guard} / {rule}
                </code>
                <Badge tone={action === 'refuse' ? 'bad' : 'warn'}>{text.guardActions[action]}</Badge>
                <span className="text-soft">{text.guardMatches(count, text.guardStages[stage])}</span>
              </li>
            ))}
          </ul>
        </Section>
      )}
      {ledger.length > 0 && <Entries ledger={ledger} />}
      {mayOwn && (
        <Section title={text.capture}>
          <Capture request={request} />
        </Section>
      )}
    </div>
  );
}

function Head({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const { base, mayWrite, accountId } = useScope();
  const { model, stream, cache } = request;
  return (
    <div className="flex flex-wrap items-center gap-2">
      <StatusBadge {...request} />
      {request.client_gone && <Badge>{text.clientGone}</Badge>}
      {request.recovered && <Badge tone="warn">{text.recovered}</Badge>}
      {stream && <Badge icon={Radio}>{text.streamed}</Badge>}
      {cache !== null && (
        <Badge tone="good" icon={DatabaseZap}>
          {text.fromCache}
        </Badge>
      )}
      <span className="ms-auto flex flex-wrap gap-2">
        {cache !== null && cache.entry !== null && request.account !== null && (
          <ReportCached entry={cache.entry} account={accountId ?? request.account} />
        )}
        <CopyButton text={location.href} label={text.copyLink} />
        {mayWrite && accountId !== null && model !== null && (
          <LinkButton size="small" icon={Play} to={`${base}/playground`} search={{ model } as never}>
            {text.askAgain}
          </LinkButton>
        )}
      </span>
    </div>
  );
}

function Entries({ ledger }: Pick<ShownRequest, 'ledger'>) {
  const text = useText(requestsText);
  return (
    <Section title={text.ledger}>
      <ul className="text-sm">
        {ledger.map(({ id, at, kind, amount_usd, note }) => (
          <li key={id} className="flex flex-wrap justify-between gap-x-4 border-line border-b py-1.5 last:border-b-0">
            <span>
              {text.entries[kind]} <span className="text-soft">#{id}</span>
              {note !== null && note !== '' && <span className="text-soft"> · {note}</span>}
            </span>
            <span className="flex flex-wrap gap-x-4">
              <span className="text-soft">
                <Time at={at} />
              </span>
              <Money usd={amount_usd} isExact />
            </span>
          </li>
        ))}
      </ul>
    </Section>
  );
}
