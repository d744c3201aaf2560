import { MessageSquare, Plus } from 'lucide-react';
import { useMemo, useRef, useState } from 'react';
import { Button } from '../../../kit/button.tsx';
import { Switch } from '../../../kit/choice.tsx';
import { Disclosure } from '../../../kit/disclosure.tsx';
import { Field } from '../../../kit/field.tsx';
import { Panel } from '../../../kit/panel.tsx';
import { Select } from '../../../kit/select.tsx';
import { Empty } from '../../../kit/status.tsx';
import { isShown, useWidth } from '../../../kit/width.ts';
import { useSearchState } from '../../../shell/search.ts';
import { playgroundText } from '../../../text/playground.ts';
import { useText } from '../../../text/text.tsx';
import { CodePanel } from '../code/code-panel.tsx';
import { ModelPicker } from '../model-picker.tsx';
import { isChat, type Model } from '../models.ts';
import type { Call, Payer } from '../wire/call.ts';
import { Composer } from './composer.tsx';
import { FORMATS, type FormatId, type Turn, type UserTurn } from './conversation.ts';
import { CHAT_FORMATS } from './formats/index.ts';
import { keep, readKept } from './kept.ts';
import { LaneView } from './lane-view.tsx';
import { Settings } from './settings.tsx';
import { hasErrors, NO_SETTINGS, readSettings, type SettingsValues } from './settings-values.ts';
import { type Lane, type LaneSettings, useLane } from './use-lane.ts';

interface ChatTabProps {
  readonly models: readonly Model[];
  readonly payer: Payer;
}

export function ChatTab({ models: all, payer }: ChatTabProps) {
  const text = useText(playgroundText);
  const models = useMemo(() => all.filter(isChat), [all]);
  const address = useSearchState(['model', 'model2', 'format']);
  const { model: named, model2, format: formatNamed } = address.values;
  const model = named === '' ? (models[0]?.id ?? '') : named;
  const format = FORMATS.find((id) => id === formatNamed) ?? 'openai-chat';
  const chat = useChat(payer);
  const { asked, errors } = useMemo(() => readSettings(chat.values), [chat.values]);
  const settingsOf = (id: string): LaneSettings => ({ format, payer, asked: { ...asked, model: id } });
  const sides: readonly Side[] = [
    { lane: chat.first, model, settings: settingsOf(model), onModel: (id) => address.set({ model: id }) },
    ...(model2 === ''
      ? []
      : [
          {
            lane: chat.second,
            model: model2,
            settings: settingsOf(model2),
            onModel: (id: string) => address.set({ model2: id }),
          },
        ]),
  ];
  const isBusy = sides.some(({ lane }) => lane.isBusy);
  const isWaiting = sides.some(({ lane }) => lane.isWaitingForTools);
  const toggle = (isOn: boolean) => {
    address.set({ model2: isOn ? (models.find(({ id }) => id !== model)?.id ?? model) : '' });
  };
  const settings = (
    <div className="flex flex-col gap-3">
      <Field label={text.format} help={text.formatHelp}>
        <Select<FormatId>
          value={format}
          onChange={(id) => address.set({ format: id === 'openai-chat' ? '' : id })}
          options={FORMATS.map((value) => ({ value, label: text.formats[value] }))}
        />
      </Field>
      <Settings values={chat.values} errors={errors} onChange={chat.setValues} />
    </div>
  );
  return (
    <div className="grid min-w-0 gap-4 lg:grid-cols-[1fr_19rem]">
      <div className="flex min-w-0 flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <Switch label={text.compare} checked={model2 !== ''} onCheckedChange={toggle} />
          <Button icon={Plus} onClick={chat.clear} disabled={chat.first.turns.length + chat.second.turns.length === 0}>
            {text.newConversation}
          </Button>
        </div>
        <Sides sides={sides} models={models} />
        <Composer
          isBusy={isBusy}
          isDisabled={hasErrors(errors) || isWaiting || model === ''}
          onSend={(turn) => {
            for (const { lane, settings: given } of sides) lane.send(turn, given);
          }}
          onStop={() => {
            for (const { lane } of sides) lane.stop();
          }}
          onDraft={chat.setDraft}
        />
        <CodePanel call={callOf(sides[0], chat.draft)} />
      </div>
      <SettingsPlace title={text.settings}>{settings}</SettingsPlace>
    </div>
  );
}

/** Returns the next request; while nothing is written, the last one. */
function callOf(side: Side | undefined, draft: UserTurn): Call | null {
  if (side === undefined) return null;
  const { lane, settings } = side;
  const isWritten = draft.text !== '' || draft.files.length > 0;
  const last = lane.turns.at(-1)?.role === 'answer' ? lane.turns.slice(0, -1) : lane.turns;
  const turns = isWritten ? [...lane.turns, draft] : last;
  return turns.length === 0 ? null : CHAT_FORMATS[settings.format].request({ ...settings.asked, turns });
}

/** Shows settings beside the conversation, or folded if there is no room. */
function SettingsPlace({ title, children }: { readonly title: string; readonly children: React.ReactNode }) {
  const isWide = isShown('lg', useWidth());
  if (isWide) return <Panel className="self-start">{children}</Panel>;
  return (
    <div className="-order-1 rounded-lg border border-line bg-panel px-3 py-1">
      <Disclosure title={title}>{children}</Disclosure>
    </div>
  );
}

interface Side {
  readonly lane: Lane;
  readonly model: string;
  readonly settings: LaneSettings;
  readonly onModel: (id: string) => void;
}

function Sides({ sides, models }: { readonly sides: readonly Side[]; readonly models: readonly Model[] }) {
  const text = useText(playgroundText);
  return (
    <div className={sides.length > 1 ? 'grid min-w-0 gap-4 md:grid-cols-2' : 'grid min-w-0'}>
      {sides.map(({ lane, model, settings, onModel }, index) => (
        <section
          key={index === 0 ? 'first' : 'second'}
          aria-label={sides.length > 1 ? text.side(index + 1) : text.conversation}
          className="flex min-w-0 flex-col gap-4 rounded-lg border border-line bg-panel p-4"
        >
          <ModelPicker
            models={models}
            value={model}
            onChange={onModel}
            label={sides.length > 1 ? text.side(index + 1) : text.model}
          />
          {lane.turns.length === 0 ? (
            <Empty icon={MessageSquare} title={text.noTurns}>
              {text.noTurnsText}
            </Empty>
          ) : (
            <LaneView lane={lane} settings={settings} onModel={onModel} />
          )}
        </section>
      ))}
    </div>
  );
}

/** Manages the tab's state that is not in its address, and restores it after a reload. */
function useChat({ accountId }: Payer) {
  const [before] = useState(() => readKept(accountId));
  const [values, setValues] = useState(before.settings ?? NO_SETTINGS);
  const [draft, setDraft] = useState<UserTurn>({ role: 'user', text: '', files: [] });
  const now = useRef<{ lanes: [readonly Turn[], readonly Turn[]]; settings: SettingsValues }>({
    lanes: [before.lanes[0] ?? [], before.lanes[1] ?? []],
    settings: values,
  });
  const first = useLane(now.current.lanes[0], (turns) => {
    now.current.lanes[0] = turns;
    keep(accountId, now.current);
  });
  const second = useLane(now.current.lanes[1], (turns) => {
    now.current.lanes[1] = turns;
    keep(accountId, now.current);
  });
  return {
    ...{ values, first, second, draft, setDraft },
    setValues: (next: SettingsValues) => {
      now.current.settings = next;
      setValues(next);
      keep(accountId, now.current);
    },
    clear: () => {
      first.clear();
      second.clear();
    },
  };
}
