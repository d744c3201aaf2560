import { FlaskConical } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { call } from '../../../api/client.ts';
import type { ChannelProbe, Provider } from '../../../api/schema.ts';
import { Button } from '../../../kit/button.tsx';
import { Field, TextInput } from '../../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../../kit/form.tsx';
import { ErrorBox } from '../../../kit/status.tsx';
import { useScope } from '../../../shell/scope.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import { AdvancedFields } from './advanced-fields.tsx';
import { ConnectionFields } from './connection-fields.tsx';
import { type ChannelForm, type ChannelValues, probeOf, typedKey } from './form-values.ts';
import { LostModels } from './lost-models.tsx';
import { ModelsField, type Offered } from './models-field.tsx';
import { ProbeNotice } from './probe-notice.tsx';

interface ChannelFormProps {
  readonly initial: ChannelValues;
  readonly providers: readonly Provider[];
  /** The end of the stored key; absent for a new channel. */
  readonly keyPreview?: string | null;
  /** The models that only this channel serves now. */
  readonly onlyHere?: readonly string[];
  readonly submitLabel: string;
  readonly send: (values: ChannelValues, provider: Provider | undefined) => Promise<unknown>;
  readonly onCancel: () => void;
  /** Asks the saved channel's provider for its models with the stored key. */
  readonly reachable?: () => Promise<Probed>;
}

export type Probed = Pick<ChannelProbe, 'ok' | 'error' | 'models' | 'models_cut' | 'listed' | 'latency_ms'>;

// The list of keys is no input of its own.
const MEMBERS = { 'timeouts.models': 'model_timeouts', api_keys: 'api_keys' } as const;

/** Creates or changes a channel, with the fields of the provider's manifest. */
export function ChannelFormView(props: ChannelFormProps) {
  const { initial, providers, keyPreview, submitLabel, send, onCancel } = props;
  const text = useText(channelFormText);
  const isNew = keyPreview === undefined;
  const providerOf = (id: string) => providers.find((one) => one.id === id);
  const form = useApiForm<ChannelValues>({
    defaultValues: initial,
    fieldOf: MEMBERS,
    send: (values) => send(values, providerOf(values.provider)),
  });
  const provider = providerOf(form.watch('provider'));
  const test = useKeyTest(form, provider, props);
  return (
    <Form form={form}>
      <ConnectionFields {...{ form, providers, provider }} {...(!isNew && { keyPreview })} />
      <KeyTest test={test} isDisabled={provider === undefined} label={test.isStored ? text.askModels : text.testKey} />
      <Field label={text.name} help={text.nameHelp} error={form.errorOf('name')}>
        <TextInput maxLength={200} placeholder={provider?.name} {...form.register('name')} />
      </Field>
      <ModelsField form={form} offered={test.offered} />
      <LostNotice form={form} onlyHere={props.onlyHere ?? []} />
      <AdvancedFields form={form} provider={provider} isNew={isNew} />
      <FormError error={form.formError} />
      <FormActions submitLabel={submitLabel} isBusy={form.isBusy} onCancel={onCancel} />
    </Form>
  );
}

interface LostNoticeProps {
  readonly form: ChannelForm;
  readonly onlyHere: readonly string[];
}

/** Names the models that lose their last channel if the form is saved as it is. */
function LostNotice({ form, onlyHere }: LostNoticeProps): ReactNode {
  const kept = new Set(form.watch('models').map(({ id }) => id.trim()));
  const lost = onlyHere.filter((id) => !kept.has(id));
  return lost.length === 0 ? null : <LostModels impact={{ only_here: lost, only_here_count: lost.length }} />;
}

interface Test {
  /** Whether the stored key is tested, because none was typed. */
  readonly isStored: boolean;
  readonly isBusy: boolean;
  readonly error: Error | undefined;
  readonly probe: Probed | undefined;
  readonly offered: readonly Offered[];
  run(): Promise<void>;
}

/** Tests the typed key, or the stored one; adds the models that the catalog knows to a new channel. */
function useKeyTest(form: ChannelForm, provider: Provider | undefined, { initial, reachable }: ChannelFormProps): Test {
  const { query } = useScope();
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<Error>();
  const [probe, setProbe] = useState<Probed & { readonly provider: string }>();
  const [keys, one, rows] = form.watch(['keys', 'api_key', 'api_keys']);
  const isStored = reachable !== undefined && typedKey({ keys, api_key: one, api_keys: rows }) === '';
  const run = async () => {
    setIsBusy(true);
    setError(undefined);
    setProbe(undefined);
    form.clearErrors();
    try {
      const values = form.getValues();
      const found = isStored
        ? await reachable()
        : await call('probeChannel', { query, body: probeOf(values, provider) });
      setProbe({ ...found, provider: values.provider });
      if (form.getValues('models').length === 0 && initial.models.length === 0)
        form.setValue('models', usual(found.models));
    } catch (thrown) {
      // A test of one of several keys names the field of a single one.
      if (keys === 'several' || !form.showAtField(thrown))
        setError(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      setIsBusy(false);
    }
  };
  const offered = probe?.provider === provider?.id ? (probe?.models ?? []) : [];
  return { isStored, isBusy, error, probe, offered, run };
}

/** The limit of unknown models that are preselected. */
const MOST_UNKNOWN = 20;

/** Returns the models that the catalog knows, since others have no price; a few unknown ones if there are no others. */
function usual(models: readonly Offered[]): ChannelValues['models'] {
  const known = models.filter((model) => model.known);
  const wanted = known.length > 0 ? known : models.length <= MOST_UNKNOWN ? models : [];
  return wanted.map(({ id }) => ({ id, upstream: id }));
}

interface KeyTestProps {
  readonly test: Test;
  readonly isDisabled: boolean;
  readonly label: string;
}

function KeyTest({ test, isDisabled, label }: KeyTestProps): ReactNode {
  return (
    <div className="flex flex-col gap-2">
      <Button
        icon={FlaskConical}
        className="self-start"
        isBusy={test.isBusy}
        disabled={isDisabled}
        onClick={() => void test.run()}
      >
        {label}
      </Button>
      {test.error && <ErrorBox error={test.error} />}
      {test.probe && <ProbeNotice probe={test.probe} />}
    </div>
  );
}
