import { CircleDollarSign, FlaskConical, RotateCcw } from 'lucide-react';
import type { Channel, UpstreamKey } from '../../../api/schema.ts';
import { TextLink } from '../../../kit/button.tsx';
import { Switch } from '../../../kit/choice.tsx';
import { ConfirmDialog } from '../../../kit/dialog.tsx';
import { Time, useFormat, useMoney } from '../../../kit/format.tsx';
import { Menu } from '../../../kit/menu.tsx';
import { Dot } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';
import { ChannelState } from './channel-state.tsx';
import { LostModels } from './lost-models.tsx';
import { type KeyActions, useKeyActions } from './use-key-actions.ts';

interface ChannelKeysProps {
  readonly channel: Channel;
  readonly keys: readonly UpstreamKey[];
}

/** The keys of a channel that has several, each with its status, its spending and its actions. */
export function ChannelKeys({ channel, keys }: ChannelKeysProps) {
  const text = useText(channelsText);
  const actions = useKeyActions(channel);
  return (
    <>
      <ul aria-label={text.keys} className="flex flex-col">
        {keys.map((key) => (
          <KeyLine key={key.name} channelId={channel.id} upstreamKey={key} actions={actions} />
        ))}
      </ul>
      <AskFirst actions={actions} />
    </>
  );
}

interface KeyLineProps {
  readonly channelId: string;
  readonly upstreamKey: UpstreamKey;
  readonly actions: KeyActions;
}

function KeyLine({ channelId, upstreamKey, actions }: KeyLineProps) {
  const text = useText(channelsText);
  const format = useFormat();
  const { base } = useScope();
  const { name, key_preview: preview, weight, enabled, block, requests, failures, last_failure: failure } = upstreamKey;
  return (
    <li className="grid grid-cols-[minmax(0,1fr)_auto] gap-x-3 gap-y-1 border-line border-b py-2 text-sm last:border-b-0">
      <p className="min-w-0 break-words">
        <span className="font-medium">{name}</span>{' '}
        {preview !== null && <code className="font-mono text-soft text-xs">{preview}</code>}
      </p>
      {actions.mayWrite ? <Actions upstreamKey={upstreamKey} actions={actions} /> : <span />}
      <div className="col-span-2 flex min-w-0 flex-wrap items-center gap-x-4 gap-y-1">
        <KeyState upstreamKey={upstreamKey} />
        <KeySpending upstreamKey={upstreamKey} />
        <span className="numbers text-soft">{text.keyWeightOf(format.number(weight))}</span>
        <span className="numbers text-soft">
          {text.attempts}: {text.attemptsOf(format.number(requests), format.number(failures))}
        </span>
        <TextLink to={`${base}/requests`} search={{ channel: channelId, upstream_key: name } as never}>
          {text.itsRequests}
        </TextLink>
      </div>
      {block !== null && enabled && (
        <p className="col-span-2 break-words text-bad text-xs">
          {block.reason} (<Time at={block.at} isRelative />)
        </p>
      )}
      {block === null && failure !== null && (
        <p className="col-span-2 break-words text-soft text-xs">
          {text.lastFailure}: <code className="font-mono">{failure}</code>
        </p>
      )}
    </li>
  );
}

function Actions({ upstreamKey, actions }: Pick<KeyLineProps, 'upstreamKey' | 'actions'>) {
  const text = useText(channelsText);
  const { name, enabled } = upstreamKey;
  return (
    <div className="flex items-center gap-1">
      <Switch
        label={text.use(name)}
        isLabelHidden
        checked={enabled}
        onChange={(event) => void actions.setEnabled(upstreamKey, event.currentTarget.checked)}
      />
      <Menu
        label={text.actionsFor(name)}
        items={[
          { label: text.test, icon: FlaskConical, onSelect: () => actions.test(name) },
          { label: text.reset, icon: RotateCcw, onSelect: () => void actions.reset(name) },
          { label: text.resetSpending, icon: CircleDollarSign, onSelect: () => actions.resetSpending(name) },
        ]}
      />
    </div>
  );
}

function KeyState({ upstreamKey: { state, ...rest } }: Pick<KeyLineProps, 'upstreamKey'>) {
  const text = useText(channelsText);
  if (state !== 'capped') return <ChannelState state={state} {...rest} />;
  return (
    <Dot tone="warn">
      <span>
        {rest.resets_at === null ? (
          text.cappedForGood
        ) : (
          <>
            {text.capped} <Time at={rest.resets_at} isRelative />
          </>
        )}
      </span>
    </Dot>
  );
}

function KeySpending({ upstreamKey: { spent_usd: spent, spend_cap: cap } }: Pick<KeyLineProps, 'upstreamKey'>) {
  const text = useText(channelsText);
  const money = useMoney();
  const shown = cap === null ? text.keySpent(money(spent)) : text.spentOfCap[cap.per](money(spent), money(cap.usd));
  return <span className="numbers">{shown}</span>;
}

/** Asks before the last key of some models is disabled, and before spending starts at zero again. */
function AskFirst({ actions }: Pick<KeyLineProps, 'actions'>) {
  const text = useText(channelsText);
  const { asked } = actions;
  if (asked === null) return null;
  const { name, impact } = asked;
  return (
    <ConfirmDialog
      title={impact === null ? text.resetSpendingTitle(name) : text.disableTitle(name)}
      body={
        impact === null ? (
          text.resetSpendingAbout
        ) : (
          <div className="flex flex-col gap-3">
            <p>{text.disableAbout}</p>
            <LostModels impact={impact} />
          </div>
        )
      }
      confirmLabel={impact === null ? text.resetSpending : text.disable}
      isDanger
      isOpen
      onClose={actions.stopAsking}
      onConfirm={() => actions.confirm(asked)}
    />
  );
}
