import type { Channel } from '../../../api/schema.ts';
import { TextLink } from '../../../kit/button.tsx';
import { CopyText } from '../../../kit/copy.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Spend, Time, useFormat } from '../../../kit/format.tsx';
import { NamedInFull } from '../../../kit/named.tsx';
import { type Definition, Definitions } from '../../../kit/panel.tsx';
import { Notice } from '../../../kit/status.tsx';
import { DataTable } from '../../../kit/table.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { PriceList } from '../models/prices.tsx';
import { ProviderMark } from '../providers/provider-mark.tsx';
import { ChannelKeys } from './channel-keys.tsx';
import { ChannelLoadView } from './channel-load.tsx';
import { ChannelState } from './channel-state.tsx';
import { BREAKER, forwardedIdsOf, LIMITS, TIMEOUTS } from './form-values.ts';
import { useSettingLabels } from './setting-labels.ts';
import type { Traffic } from './use-traffic.ts';

interface ChannelDetailsProps {
  readonly channel: Channel;
  readonly providerName: string;
  readonly traffic: Traffic | undefined;
}

/** The details of one channel. */
export function ChannelDetails({ channel, providerName, traffic }: ChannelDetailsProps) {
  const text = useText(channelsText);
  const { base } = useScope();
  const { managed_by: manager, block } = channel;
  return (
    <div className="flex flex-col gap-5">
      {manager === 'file' && <Notice tone="neutral">{text.inFile}</Notice>}
      {manager === 'environment' && <Notice tone="neutral">{text.inEnvironment}</Notice>}
      {block !== null && (
        <Notice tone="bad" title={text.blockedTitle}>
          {block.reason} (<Time at={block.at} isRelative />)
        </Notice>
      )}
      <Section title={text.health}>
        <Definitions items={useHealth(channel, traffic)} />
        <p className="mt-2 text-sm">
          <TextLink to={`${base}/requests`} search={{ channel: channel.id } as never}>
            {text.itsRequests}
          </TextLink>
        </p>
      </Section>
      <ChannelLoadView channel={channel} />
      {channel.api_keys !== null && (
        <Section title={text.keys}>
          <ChannelKeys channel={channel} keys={channel.api_keys} />
        </Section>
      )}
      <Section title={text.models}>
        <Models models={channel.models} />
      </Section>
      <Section title={text.connection}>
        <Definitions items={useConnection(channel, providerName)} />
      </Section>
      <Disclosure title={text.advanced}>
        <Definitions items={useAdvanced(channel)} />
      </Disclosure>
    </div>
  );
}

function Section({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  return (
    <section className="min-w-0">
      <h3 className="mb-1 font-semibold text-sm">{title}</h3>
      {children}
    </section>
  );
}

function useHealth(channel: Channel, traffic: Traffic | undefined): readonly Definition[] {
  const text = useText(channelsText);
  const { accountId } = useScope();
  const format = useFormat();
  const { requests, failures, first_byte_ms: firstByteMs, last_failure: failure, last_failure_at: failedAt } = channel;
  const p95 = traffic?.latency_p95_ms ?? null;
  return [
    { term: text.state, value: <ChannelState {...channel} /> },
    ...(traffic === undefined
      ? []
      : [
          { term: text.traffic, value: text.trafficOf(format.percent(traffic.share), format.number(traffic.requests)) },
          { term: text.success, value: traffic.success === null ? '–' : format.percent(traffic.success) },
          { term: accountId === null ? text.charged : text.spent, value: <Spend sums={traffic} /> },
          { term: text.p95, value: p95 === null ? '–' : format.duration(p95) },
        ]),
    { term: text.firstByte, value: firstByteMs === null ? '–' : format.duration(firstByteMs) },
    { term: text.attempts, value: text.attemptsOf(format.number(requests), format.number(failures)) },
    ...(failure === null || failedAt === null
      ? []
      : [
          {
            term: text.lastFailure,
            value: (
              <>
                <code className="font-mono text-xs">{failure}</code> <Time at={failedAt} isRelative />
              </>
            ),
          },
        ]),
  ];
}

function useConnection(channel: Channel, providerName: string): readonly Definition[] {
  const text = useText(channelsText);
  const { id, base_url: baseUrl, api_key_preview: key, settings, owner, owner_name: ownerName } = channel;
  const words = useSettingLabels(channel.provider);
  return [
    {
      term: text.provider,
      value: (
        <span className="inline-flex items-center gap-2">
          <ProviderMark provider={channel.provider} /> {providerName}
        </span>
      ),
    },
    { term: text.channelId, value: <CopyText text={id} /> },
    ...(owner === null ? [] : [{ term: text.owner, value: <NamedInFull name={ownerName} id={owner} /> }]),
    ...(channel.api_keys === null
      ? [{ term: text.apiKey, value: key === null ? text.noKey : <code className="font-mono">{key}</code> }]
      : []),
    { term: text.baseUrl, value: baseUrl ?? text.usualAddress },
    ...Object.entries(settings).map(([name, value]) => ({
      term: words[name]?.label ?? name,
      value: <span className="break-all">{typeof value === 'string' ? value : JSON.stringify(value)}</span>,
    })),
    { term: text.formats, value: channel.formats?.join(', ') ?? text.allFormats },
  ];
}

function useAdvanced(channel: Channel): readonly Definition[] {
  const text = useText(channelsText);
  const form = useText(channelFormText);
  const format = useFormat();
  const timesOf = useTimes();
  const limitsOf = useLimits();
  const { priority, weight, timeouts, breaker, costs } = channel;
  const { models: ofModels, ...limits } = timeouts;
  const measure = (name: (typeof BREAKER)[number]) => {
    const value = breaker[name];
    if (name.endsWith('_ms')) return format.duration(value);
    return name === 'failure_rate' ? format.percent(value) : format.number(value);
  };
  return [
    { term: text.priority, value: format.number(priority) },
    { term: text.weight, value: format.number(weight) },
    { term: form.timeouts, value: <Lines lines={timesOf(limits)} /> },
    ...Object.entries(ofModels).map(([model, own]) => ({
      term: text.timeoutsOf(model),
      value: <Lines lines={timesOf(own, limits)} />,
    })),
    { term: text.breaker, value: <Lines lines={BREAKER.map((name) => [form.breakers[name], measure(name)])} /> },
    { term: form.limits, value: <Lines lines={limitsOf(channel)} /> },
    { term: form.forwardIds, value: form.forwardedIds[forwardedIdsOf(channel.forward_ids)] },
    ...(channel.batches === 'relay' ? [{ term: form.batches, value: form.batchesBy.relay }] : []),
    ...Object.entries(costs).map(([model, pricing]) => ({
      term: text.costsOf(model),
      value: <PriceList pricing={pricing} />,
    })),
  ];
}

/** Returns a function that lists the limits of a channel and of its models, and its queue. */
function useLimits(): (channel: Channel) => readonly Line[] {
  const { limit, queue: ofQueue, followLimits } = useText(channelFormText);
  const text = useText(channelsText);
  const format = useFormat();
  type Limits = Readonly<Record<(typeof LIMITS)[number], number | null>>;
  const lines = (own: Limits, named: (name: string) => string): Line[] =>
    LIMITS.flatMap((name) => (own[name] === null ? [] : [[named(limit[name]), format.number(own[name])] as const]));
  return ({ limits, queue, follow_provider_limits: follows }) => [
    ...(limits === null ? [] : lines(limits, (name) => name)),
    ...Object.entries(limits?.models ?? {}).flatMap(([id, own]) => lines(own, (name) => text.ofModel(id, name))),
    ...(queue === null
      ? []
      : ([
          [ofQueue.max_waiting, format.number(queue.max_waiting)],
          [ofQueue.max_wait_ms, format.duration(queue.max_wait_ms)],
        ] as const)),
    [followLimits, follows ? text.yes : text.no],
  ];
}

type Times = Readonly<Record<(typeof TIMEOUTS)[number], number>>;
type Line = readonly [name: string, value: string];

/** Returns a function that formats timeouts, of a model only those that differ from its channel's. */
function useTimes(): (times: Times, but?: Times) => readonly Line[] {
  const { timeout } = useText(channelFormText);
  const format = useFormat();
  return (times, but) =>
    TIMEOUTS.filter((name) => times[name] !== but?.[name]).map((name) => [timeout[name], format.duration(times[name])]);
}

function Lines({ lines }: { readonly lines: readonly Line[] }) {
  if (lines.length === 0) return <span className="text-soft">–</span>;
  return (
    <ul>
      {lines.map(([name, value]) => (
        <li key={name} className="flex justify-between gap-4">
          <span className="text-soft">{name}</span>
          <span className="numbers">{value}</span>
        </li>
      ))}
    </ul>
  );
}

function Models({ models }: Pick<Channel, 'models'>) {
  const text = useText(channelsText);
  const format = useFormat();
  return (
    <DataTable
      label={text.models}
      keyOf={({ id }) => id}
      rows={{ items: models }}
      empty={null}
      columns={[
        { id: 'id', title: text.publicId, width: 'minmax(9rem, 2fr)', cell: ({ id }) => <span title={id}>{id}</span> },
        {
          id: 'upstream',
          title: text.upstreamId,
          width: 'minmax(9rem, 2fr)',
          from: 'sm',
          cell: ({ upstream_model }) => <span title={upstream_model}>{upstream_model}</span>,
        },
        { id: 'state', title: text.state, width: 'minmax(7rem, 1fr)', cell: (model) => <ChannelState {...model} /> },
        {
          id: 'latency',
          title: text.firstByte,
          align: 'end',
          width: '9.5rem',
          from: 'sm',
          cell: ({ first_byte_ms: ms }) => (ms === null ? '–' : format.duration(ms)),
        },
      ]}
    />
  );
}
