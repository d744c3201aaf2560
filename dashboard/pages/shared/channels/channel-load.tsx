import type { Channel, ChannelLoad } from '../../../api/schema.ts';
import { useApi } from '../../../api/use-api.ts';
import { useFormat } from '../../../kit/format.tsx';
import { Meter } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';

const EVERY_MS = 5_000;

type Use = ChannelLoad['requests_per_minute'];

interface Bar {
  readonly name: string;
  readonly used: number;
  readonly limit: number;
}

/** The use of a channel's limits now. Shows nothing for a channel without limits whose provider has stated none. */
export function ChannelLoadView({ channel }: { readonly channel: Channel }) {
  const text = useText(channelsText);
  const format = useFormat();
  const { query } = useScope();
  const { data } = useApi('getChannelLoad', { params: { id: channel.id }, query }, { every: EVERY_MS });
  const bars = useBars(data);
  if (data === undefined || (bars.length === 0 && data.waiting === 0)) return null;
  return (
    <section className="min-w-0">
      <h3 className="mb-1 font-semibold text-sm">{text.limits}</h3>
      <div className="flex flex-col gap-2">
        {bars.map(({ name, used, limit }) => (
          <Meter
            key={name}
            value={used}
            max={limit}
            label={name}
            text={text.usedOf(format.number(used), format.number(limit))}
          />
        ))}
        {data.waiting > 0 && <p className="text-sm">{text.waitingRequests(format.number(data.waiting))}</p>}
      </div>
    </section>
  );
}

function useBars(load: ChannelLoad | undefined): readonly Bar[] {
  const text = useText(channelsText);
  if (load === undefined) return [];
  const barOf = (name: string, use: Use): Bar[] =>
    use === null || use.used === null ? [] : [{ name, used: use.used, limit: use.limit }];
  return [
    ...(load.max_concurrent === null ? [] : [{ name: text.running, used: load.running, limit: load.max_concurrent }]),
    ...barOf(text.requestsInMinute, load.requests_per_minute),
    ...barOf(text.tokensInMinute, load.tokens_per_minute),
    ...load.models.flatMap(({ id, requests_per_minute: requests, tokens_per_minute: tokens }) => [
      ...barOf(text.ofModel(id, text.requestsInMinute), requests),
      ...barOf(text.ofModel(id, text.tokensInMinute), tokens),
    ]),
    ...load.stated.flatMap(({ upstream_model: model, unit, limit, left }) =>
      limit === null ? [] : [{ name: text.ofModel(model, text.stated[unit]), used: limit - left, limit }],
    ),
  ];
}
