import { ArrowDownToLine, Combine, FlaskConical, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Channel } from '../../../api/schema.ts';
import { Sparkline } from '../../../kit/charts/sparkline.tsx';
import { Switch } from '../../../kit/choice.tsx';
import { cx } from '../../../kit/classes.ts';
import { useFormat } from '../../../kit/format.tsx';
import { Menu, type MenuItem } from '../../../kit/menu.tsx';
import { Named } from '../../../kit/named.tsx';
import { Badge } from '../../../kit/status.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { ProviderMark } from '../providers/provider-mark.tsx';
import { ChannelState } from './channel-state.tsx';
import type { ChannelActions } from './use-channel-actions.ts';
import type { Traffic } from './use-traffic.ts';

export interface Placing {
  /** The share of traffic for models that others of its priority also serve: 0 to 1; `null` if there are none. */
  readonly share: number | null;
  readonly isAlone: boolean;
  readonly hasAbove: boolean;
  joinAbove(): void;
  setApart(): void;
}

interface ChannelRowProps {
  readonly channel: Channel;
  readonly providerName: string;
  readonly traffic: Traffic | undefined;
  readonly actions: ChannelActions;
  /** Absent if the order cannot be changed. */
  readonly placing?: Placing;
}

/** The columns of the list, from `lg` on: name, status, success, p95, traffic, actions. */
const COLUMNS =
  'lg:grid-cols-[minmax(0,2.2fr)_minmax(0,1.3fr)_4rem_4.5rem_9.5rem_5rem] xl:grid-cols-[minmax(0,2.2fr)_minmax(0,1.3fr)_5rem_6rem_10rem_5rem]';

/** The header of the list. It is hidden in narrow windows, where each figure has its label. */
export function ChannelHeader({ hasHandle }: { readonly hasHandle: boolean }) {
  const text = useText(channelsText);
  return (
    <div
      aria-hidden
      className={cx(
        'hidden items-center gap-2 pb-1 text-soft text-sm lg:flex',
        hasHandle ? 'pr-3.25 pl-1.25' : 'px-3.25',
      )}
    >
      {hasHandle && <span className="size-7 shrink-0" />}
      <div className={cx('grid min-w-0 flex-1 items-end gap-x-4 font-medium', COLUMNS)}>
        <span>{text.channel}</span>
        <span>{text.state}</span>
        <span className="text-end">{text.successShort}</span>
        <span className="text-end" title={text.p95Help}>
          {text.p95}
        </span>
        <span>{text.traffic}</span>
        <span className="text-end">{text.actions}</span>
      </div>
    </div>
  );
}

/** A line of the list: the channel, its health, and its actions. */
export function ChannelRow({ channel, providerName, traffic, actions, placing }: ChannelRowProps) {
  const text = useText(channelsText);
  const format = useFormat();
  const { id, name, provider, models, owner, owner_name: ownerName, block } = channel;
  const p95 = traffic?.latency_p95_ms ?? null;
  return (
    <div className={cx('grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-1', COLUMNS)}>
      <div className="flex min-w-0 items-center gap-2.5">
        <ProviderMark provider={provider} />
        <div className="min-w-0">
          <div className="flex min-w-0 flex-wrap items-center gap-x-2">
            <button
              type="button"
              title={name === id ? name : `${name} (${id})`}
              onClick={() => actions.open(id)}
              className="min-w-0 truncate text-start font-medium hover:text-accent hover:underline"
            >
              {name}
            </button>
            {channel.managed_by !== 'api' && <Badge>{text.managers[channel.managed_by]}</Badge>}
          </div>
          <p className="truncate text-soft text-xs">
            {providerName} · {text.modelCount(models.length)}
            {owner !== null && (
              <>
                {' · '}
                <Named name={ownerName} id={owner} />
              </>
            )}
          </p>
          {placing?.share != null && (
            <p className="text-accent text-xs">{text.sharesWith(format.percent(placing.share))}</p>
          )}
        </div>
      </div>
      <div className="min-w-0 text-sm max-lg:order-3 max-lg:col-span-2">
        <ChannelState {...channel} />
        {block !== null && (
          <p className="truncate text-bad text-xs" title={block.reason}>
            {block.reason}
          </p>
        )}
      </div>
      {/* One line in narrow windows, cells of the row in others. */}
      <div className="flex flex-wrap items-center gap-x-5 gap-y-1 max-lg:order-4 max-lg:col-span-2 lg:contents">
        <Figure label={text.successShort}>{traffic?.success == null ? '–' : format.percent(traffic.success)}</Figure>
        <Figure label={text.p95}>{p95 === null ? '–' : format.duration(p95)}</Figure>
        <TrafficBars traffic={traffic} />
      </div>
      <div className="flex items-center justify-end gap-1 max-lg:col-start-2 max-lg:row-start-1">
        {actions.mayWrite && (
          <>
            <Switch
              label={text.use(name)}
              isLabelHidden
              checked={channel.enabled}
              onChange={(event) => void actions.setEnabled(channel, event.currentTarget.checked)}
            />
            <Menu
              label={text.actionsFor(name)}
              items={[...itemsOf(channel, actions, text), ...placingItems(placing, text)]}
            />
          </>
        )}
      </div>
    </div>
  );
}

type Words = (typeof channelsText)['en'];

function itemsOf(channel: Channel, actions: ChannelActions, text: Words): readonly MenuItem[] {
  const isFixed = channel.managed_by === 'file';
  const fixed = { isDisabled: isFixed, why: text.changedInFile };
  const kept = { isDisabled: channel.managed_by !== 'api', why: isFixed ? text.changedInFile : text.fromEnvironment };
  return [
    { label: text.test, icon: FlaskConical, onSelect: () => actions.test(channel.id) },
    { label: text.edit, icon: Pencil, onSelect: () => actions.edit(channel.id), ...fixed },
    { label: text.reset, icon: RotateCcw, onSelect: () => void actions.reset(channel) },
    { label: text.delete, icon: Trash2, onSelect: () => actions.remove(channel), isDanger: true, ...kept },
  ];
}

function placingItems(placing: Placing | undefined, text: Words): readonly MenuItem[] {
  if (placing === undefined) return [];
  return [
    ...(placing.hasAbove ? [{ label: text.joinAbove, icon: Combine, onSelect: placing.joinAbove }] : []),
    ...(placing.isAlone ? [] : [{ label: text.setApart, icon: ArrowDownToLine, onSelect: placing.setApart }]),
  ];
}

/** A number with its label, which the header says in wide windows. */
function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <p className="flex items-baseline gap-1.5 text-sm lg:block lg:text-end">
      <span className="text-soft text-xs lg:sr-only">{label}</span>
      <span className="numbers whitespace-nowrap">{children}</span>
    </p>
  );
}

/** The requests of each hour, and the share of the traffic. */
function TrafficBars({ traffic }: { readonly traffic: Traffic | undefined }) {
  const text = useText(channelsText);
  const format = useFormat();
  if (traffic === undefined) return <p className="text-soft text-sm">–</p>;
  const { requests, errors, requests_by_hour: byHour, errors_by_hour: failed, share } = traffic;
  const label = text.trafficLabel(format.number(requests), format.number(errors), format.number(Math.max(...byHour)));
  return (
    <div className="flex min-w-0 items-center gap-2">
      <span className="text-soft text-xs lg:hidden">{text.traffic}</span>
      <Sparkline values={byHour} bad={failed} label={label} />
      <span className="numbers text-soft text-xs" title={text.shareHelp}>
        {format.percent(share)}
      </span>
    </div>
  );
}
