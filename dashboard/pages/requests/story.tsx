import { DatabaseZap, Play, Radio } from 'lucide-react';
import type { ReactNode } from 'react';
import type { ShownRequest } from '../../api/schema.ts';
import { useApi } from '../../api/use-api.ts';
import { LinkButton, TextLink } from '../../kit/button.tsx';
import { CopyButton, CopyText } from '../../kit/copy.tsx';
import { Sheet } from '../../kit/dialog.tsx';
import { Money, Time, useFormat } from '../../kit/format.tsx';
import { type Definition, Definitions } from '../../kit/panel.tsx';
import { Badge, ErrorBox, Loading } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';
import { ReportCached } from '../shared/cache/report-cached.tsx';
import { useKeyNames } from '../shared/usage/key-names.ts';
import { Attempts } from './attempts.tsx';
import { Capture } from './capture.tsx';
import { Price } from './price.tsx';
import { Section } from './section.tsx';
import { StatusBadge } from './status-badge.tsx';
import { TimeLine } from './time-line.tsx';
import { Tokens } from './tokens.tsx';

interface StorySheetProps {
  /** `''` while closed. */
  readonly id: string;
  readonly onClose: () => void;
}

/** All details of one request. */
export function StorySheet({ id, onClose }: StorySheetProps) {
  const text = useText(requestsText);
  return (
    <Sheet
      title={text.request}
      description={<CopyText text={id} label={text.copyId} />}
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
  const { losses, ledger, time_line: times } = request;
  return (
    <div className="flex flex-col gap-5">
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
      {ledger.length > 0 && <Entries ledger={ledger} />}
      {mayOwn && (
        <Section title={text.capture}>
          <Capture id={request.id} />
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

function Facts({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const format = useFormat();
  const { base, accountId } = useScope();
  const names = useKeyNames();
  const { key, cache, error_code: error, failure_kind: kind, upstream_request_id: upstream } = request;
  const { model, upstream_model: asked, answer_model: answered, first_byte_ms: firstByte, tags } = request;
  const items: readonly (Definition | false)[] = [
    { term: text.time, value: <time dateTime={request.at}>{format.exactTime(request.at)}</time> },
    error !== null && {
      term: text.error,
      value: <Code>{kind === null || kind === error ? error : `${error} (${kind})`}</Code>,
    },
    accountId === null && request.account !== null && { term: text.account, value: request.account },
    { term: text.model, value: <ModelNames public={model} asked={asked} answered={answered} /> },
    key !== null && { term: text.key, value: names.get(key) ?? key },
    { term: text.format, value: <Code>{request.format}</Code> },
    request.channel !== null && { term: text.channel, value: <ChannelName request={request} /> },
    { term: text.latency, value: format.duration(request.latency_ms) },
    firstByte !== null && { term: text.firstByte, value: format.duration(firstByte) },
    { term: text.cost, value: <Money usd={request.cost_usd} isExact /> },
    cache !== null && {
      term: text.cacheMatch,
      value: (
        <>
          {text.matches[cache.match as keyof typeof text.matches] ?? cache.match}
          {cache.entry !== null && (
            <>
              {' · '}
              <TextLink to={`${base}/cache`} search={{ id: cache.entry } as never}>
                {cache.entry}
              </TextLink>
            </>
          )}
        </>
      ),
    },
    upstream !== null && { term: text.upstreamId, value: <CopyText text={upstream} /> },
    Object.keys(tags).length > 0 && {
      term: text.tags,
      value: (
        <span className="flex flex-wrap gap-1">
          {Object.entries(tags).map(([name, value]) => (
            <TextLink key={name} to={`${base}/requests`} search={{ tag: `${name}=${value}` } as never}>
              {name}={value}
            </TextLink>
          ))}
        </span>
      ),
    },
  ];
  return <Definitions items={items.filter((item) => item !== false)} />;
}

function Code({ children }: { readonly children: ReactNode }) {
  return <code className="font-mono text-xs break-all">{children}</code>;
}

interface ModelNamesProps {
  readonly public: string | null;
  readonly asked: string | null;
  readonly answered: string | null;
}

/** The public name, and the upstream's if it differs. */
function ModelNames({ public: name, asked, answered }: ModelNamesProps) {
  const text = useText(requestsText);
  const others = [...new Set([asked, answered])].filter((other) => other !== null && other !== name);
  return (
    <>
      {name ?? '–'}
      {others.length > 0 && <span className="text-soft"> {text.upstreamModel(others.join(', '))}</span>}
    </>
  );
}

function ChannelName({ request: { channel, provider, private: isPrivate } }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  return (
    <>
      {channel}
      {provider !== null && <span className="text-soft"> · {provider}</span>}
      {isPrivate === true && <span className="text-soft"> · {text.ownChannel}</span>}
    </>
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
