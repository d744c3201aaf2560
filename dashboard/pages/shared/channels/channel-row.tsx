import { ArrowDownToLine, Combine, FlaskConical, Pencil, RotateCcw, Trash2 } from 'lucide-react';
import type { ReactNode } from 'react';
import type { Channel } from '../../../api/schema.ts';
import { Switch } from '../../../kit/choice.tsx';
import { useFormat } from '../../../kit/format.tsx';
import { Menu, type MenuItem } from '../../../kit/menu.tsx';
import { Badge } from '../../../kit/status.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
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

/** A line of the list: the channel, its health, and its actions. */
export function ChannelRow({ channel, providerName, traffic, actions, placing }: ChannelRowProps) {
  const text = useText(channelsText);
  const format = useFormat();
  const { name, models, block, first_byte_ms: firstByteMs } = channel;
  const about = [providerName, text.modelCount(models.length), channel.owner ?? ''];
  return (
    <div className="grid grid-cols-[minmax(0,1fr)_auto] items-center gap-x-4 gap-y-1 py-1 lg:grid-cols-[minmax(0,2fr)_minmax(0,1.2fr)_5rem_6rem_8rem_auto] xl:grid-cols-[minmax(0,2fr)_minmax(0,1.2fr)_6rem_8rem_8rem_auto]">
      <div className="min-w-0">
        <div className="flex min-w-0 flex-wrap items-center gap-x-2">
          <button
            type="button"
            title={name}
            onClick={() => actions.open(channel.id)}
            className="min-w-0 truncate text-start font-medium hover:text-accent hover:underline"
          >
            {name}
          </button>
          {channel.managed_by !== 'api' && <Badge>{text.managers[channel.managed_by]}</Badge>}
        </div>
        <p className="truncate text-soft text-xs">{about.filter(Boolean).join(' · ')}</p>
        {placing?.share != null && (
          <p className="text-accent text-xs">{text.sharesWith(format.percent(placing.share))}</p>
        )}
      </div>
      <div className="min-w-0 text-sm max-lg:order-3">
        <ChannelState {...channel} />
        {block !== null && (
          <p className="truncate text-bad text-xs" title={block.reason}>
            {block.reason}
          </p>
        )}
      </div>
      <Figure label={text.success}>{traffic?.success == null ? '–' : format.percent(traffic.success)}</Figure>
      <Figure label={text.firstByte}>{firstByteMs === null ? '–' : format.duration(firstByteMs)}</Figure>
      <TrafficBar traffic={traffic} />
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

function Figure({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <p className="hidden text-end text-sm lg:block">
      <span className="block text-soft text-xs">{label}</span>
      <span className="numbers">{children}</span>
    </p>
  );
}

function TrafficBar({ traffic }: { readonly traffic: Traffic | undefined }) {
  const text = useText(channelsText);
  const format = useFormat();
  const share = traffic?.share ?? 0;
  return (
    <div className="min-w-0 text-xs max-lg:order-4">
      <p className="flex justify-between gap-2 text-soft">
        <span>{text.traffic}</span>
        <span className="numbers">{traffic === undefined ? '–' : format.percent(share)}</span>
      </p>
      <div aria-hidden className="mt-1 h-1.5 min-w-20 overflow-hidden rounded-full bg-hover">
        <div className="h-full rounded-full bg-series-0" style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
