import type { ReactNode } from 'react';
import type { ShownRequest } from '../../api/schema.ts';
import { OuterLink, TextLink } from '../../kit/button.tsx';
import { CopyText } from '../../kit/copy.tsx';
import { Money, useFormat } from '../../kit/format.tsx';
import { NamedInFull } from '../../kit/named.tsx';
import { type Definition, Definitions } from '../../kit/panel.tsx';
import { useScope } from '../../shell/scope.tsx';
import { requestsText } from '../../text/requests.ts';
import { useText } from '../../text/text.tsx';

/** The model, the caller, the times and the cost of a request. */
export function Facts({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const format = useFormat();
  const { base, accountId } = useScope();
  const { account, account_name: accountName, key, key_name: keyName } = request;
  const { client_request_id: clientId, trace_id: traceId } = request;
  const { cache, upstream_request_id: upstream, first_byte_ms: firstByte, tags } = request;
  const items: readonly (Definition | false)[] = [
    { term: text.time, value: <time dateTime={request.at}>{format.exactTime(request.at)}</time> },
    accountId === null &&
      account !== null && { term: text.account, value: <NamedInFull name={accountName} id={account} /> },
    { term: text.model, value: <ModelNames request={request} /> },
    request.model_steps.length > 0 && { term: text.modelSteps, value: <ModelSteps request={request} /> },
    key !== null && { term: text.key, value: <NamedInFull name={keyName} id={key} /> },
    { term: text.format, value: <Code>{request.format}</Code> },
    request.channel !== null && { term: text.channel, value: <ChannelName request={request} /> },
    request.upstream_key !== null && {
      term: text.upstreamKey,
      value: (
        <TextLink
          to={`${base}/requests`}
          search={
            {
              ...(request.channel !== null && { channel: request.channel }),
              upstream_key: request.upstream_key,
            } as never
          }
        >
          {request.upstream_key}
        </TextLink>
      ),
    },
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
    clientId !== null && { term: text.clientId, value: <Shared name="client_request_id" id={clientId} /> },
    traceId !== null && { term: text.traceId, value: <TraceId id={traceId} url={request.trace_url} /> },
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

/** The changes of the model, in order. */
function ModelSteps({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  return (
    <ol className="flex flex-col gap-1">
      {request.model_steps.map(({ kind, from, to, reason, skipped }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the steps of a finished request never change
        <li key={index} className="break-words">
          {text.stepKinds[kind]}
          {': '}
          <Code>{from}</Code>
          {' → '}
          <Code>{to}</Code>
          {` (${reason}${skipped === undefined ? '' : `; ${text.stepSkipped(skipped)}`})`}
        </li>
      ))}
    </ol>
  );
}

/** An id that other requests may share, which leads to all of them. */
function Shared({ name, id }: { readonly name: 'client_request_id' | 'trace_id'; readonly id: string }) {
  const text = useText(requestsText);
  const { base } = useScope();
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <CopyText text={id} />
      <TextLink to={`${base}/requests`} search={{ [name]: id } as never}>
        {text.sameId}
      </TextLink>
    </span>
  );
}

function TraceId({ id, url }: { readonly id: string; readonly url: string | null }) {
  const text = useText(requestsText);
  return (
    <span className="inline-flex flex-wrap items-center gap-x-2">
      <Shared name="trace_id" id={id} />
      {url !== null && (
        <OuterLink href={url} target="_blank" rel="noreferrer noopener">
          {text.openTrace}
        </OuterLink>
      )}
    </span>
  );
}

function Code({ children }: { readonly children: ReactNode }) {
  return <code className="font-mono text-xs break-all">{children}</code>;
}

/** The public name, and the upstream's if it differs; without a model, what the client wrote. */
function ModelNames({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const { model, requested_model: requested, upstream_model: asked, answer_model: answered } = request;
  const others = [...new Set([asked, answered])].filter((other) => other !== null && other !== model);
  return (
    <>
      {model ?? (requested === null ? '–' : <span className="text-soft break-all">{requested}</span>)}
      {others.length > 0 && <span className="text-soft"> {text.upstreamModel(others.join(', '))}</span>}
    </>
  );
}

function ChannelName({ request }: { readonly request: ShownRequest }) {
  const text = useText(requestsText);
  const { channel, channel_name: name, provider, private: isPrivate } = request;
  return (
    <>
      {channel !== null && <NamedInFull name={name} id={channel} />}
      {provider !== null && <span className="text-soft"> · {provider}</span>}
      {isPrivate === true && <span className="text-soft"> · {text.ownChannel}</span>}
    </>
  );
}
