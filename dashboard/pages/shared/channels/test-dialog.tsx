import { useState } from 'react';
import type { Channel, ChannelTest } from '../../../api/schema.ts';
import { useChange } from '../../../api/use-api.ts';
import { Button } from '../../../kit/button.tsx';
import { Switch } from '../../../kit/choice.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { Field } from '../../../kit/field.tsx';
import { useFormat } from '../../../kit/format.tsx';
import { Definitions } from '../../../kit/panel.tsx';
import { Combobox, Select } from '../../../kit/select.tsx';
import { ErrorBox, Notice } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelsText } from '../../../text/channels.ts';
import { useText } from '../../../text/text.tsx';

interface TestDialogProps {
  readonly channel: Channel | undefined;
  /** The key to test of several; '' for the first enabled one. */
  readonly keyName: string;
  readonly onClose: () => void;
}

/** Sends one small real request over a channel, and shows the result. */
export function TestDialog({ channel, keyName, onClose }: TestDialogProps) {
  const text = useText(channelsText);
  return (
    <Dialog
      title={text.testTitle(channel?.name ?? '')}
      description={text.testAbout}
      isOpen={channel !== undefined}
      onClose={onClose}
    >
      {channel && <Test key={`${channel.id} ${keyName}`} channel={channel} keyName={keyName} />}
    </Dialog>
  );
}

function Test({ channel, keyName }: { readonly channel: Channel; readonly keyName: string }) {
  const text = useText(channelsText);
  const { query } = useScope();
  const [model, setModel] = useState<string>();
  const [stream, setStream] = useState(false);
  const keys = channel.api_keys ?? [];
  const isKnown = keys.some(({ name }) => name === keyName);
  const [key, setKey] = useState(isKnown ? keyName : (keys.find(({ enabled }) => enabled) ?? keys[0])?.name);
  const test = useChange('testChannel');
  const run = () => {
    const named = { ...(model !== undefined && { model }), ...(key !== undefined && { key }) };
    test.mutate({ params: { id: channel.id }, query, body: { stream, ...named } });
  };
  return (
    <div className="flex flex-col gap-4">
      {keys.length > 0 && (
        <Field label={text.key}>
          <Select value={key} onChange={setKey} options={keys.map(({ name }) => ({ value: name, label: name }))} />
        </Field>
      )}
      <Field label={text.model} help={text.testModelHelp}>
        <Combobox
          value={model}
          onChange={setModel}
          placeholder={text.firstChatModel}
          options={channel.models.map(({ id, upstream_model }) => ({
            value: id,
            label: id,
            ...(upstream_model !== id && { detail: upstream_model }),
          }))}
        />
      </Field>
      <Switch label={text.asStream} checked={stream} onChange={(event) => setStream(event.currentTarget.checked)} />
      <Button variant="primary" className="self-start" isBusy={test.isPending} onClick={run}>
        {text.sendTest}
      </Button>
      {test.error && <ErrorBox error={test.error} />}
      {test.data && !test.isPending && <Result test={test.data} />}
    </div>
  );
}

function Result({ test }: { readonly test: ChannelTest }) {
  const text = useText(channelsText);
  const format = useFormat();
  const last = test.tries.at(-1);
  if (last === undefined) return null;
  const server =
    test.server && (test.server.source === 'set' ? text.serverAsSet : text.serverRecognized)(test.server.label);
  const took = format.duration(last.latency_ms);
  return (
    <div className="flex min-w-0 flex-col gap-3">
      {last.error ? (
        <Notice tone="bad" title={text.testFailed(took)} isLive>
          <p>{last.error.hint}</p>
          <p className="mt-1 text-soft">{last.error.message}</p>
        </Notice>
      ) : (
        <Notice tone="good" title={text.testWorked(took)} isLive>
          {last.answer?.text}
        </Notice>
      )}
      <Definitions
        items={[
          ...(test.key === null ? [] : [{ term: text.key, value: test.key }]),
          {
            term: text.model,
            value: test.model === test.upstream_model ? test.model : `${test.model} → ${test.upstream_model}`,
          },
          ...(server ? [{ term: text.server, value: server }] : []),
          { term: text.address, value: <code className="break-all font-mono text-xs">{last.address}</code> },
          { term: text.format, value: last.format },
          { term: text.httpStatus, value: last.status ?? '–' },
          ...(test.tries.length > 1 ? [{ term: text.tries, value: test.tries.length }] : []),
        ]}
      />
    </div>
  );
}
