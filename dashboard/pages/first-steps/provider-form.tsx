import { useState } from 'react';
import { Controller } from 'react-hook-form';
import { call } from '../../api/client.ts';
import type { Provider } from '../../api/schema.ts';
import { OuterLink } from '../../kit/button.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, PasswordInput, TextInput } from '../../kit/field.tsx';
import { type ApiForm, Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Combobox } from '../../kit/select.tsx';
import { Notice } from '../../kit/status.tsx';
import { useScope } from '../../shell/scope.tsx';
import { firstStepsText } from '../../text/first-steps.ts';
import { useText } from '../../text/text.tsx';
import { guessProvider, KEY_PAGES } from './guess-provider.ts';
import type { Tested } from './tested.ts';

interface ProviderFormProps {
  readonly providers: readonly Provider[];
  readonly tested: Tested | null;
  readonly onTested: (tested: Tested | null) => void;
  /** Whether the first field takes the focus: where it is all that the page is for, and opens no keyboard over it. */
  readonly isFirst: boolean;
}

/** Named like the body's members, so that a refusal finds its field. */
interface Values {
  api_key: string;
  provider: string;
  base_url: string;
  settings: Record<string, string>;
}

/** Takes a key, its provider and the provider's settings, then tests them. */
export function ProviderForm({ providers, tested, onTested, isFirst }: ProviderFormProps) {
  const text = useText(firstStepsText);
  const { isOperator, query } = useScope();
  const [isByHand, setByHand] = useState(false);
  const form = useApiForm<Values>({
    defaultValues: { api_key: '', provider: '', base_url: '', settings: {} },
    send: async (values) => {
      onTested(null);
      const channel = channelOf(values, providerOf(values.provider));
      onTested({ channel, probe: await call('probeChannel', { query: isOperator ? {} : query, body: channel }) });
    },
  });
  const providerOf = (id: string) => providers.find((one) => one.id === id);
  const provider = providerOf(form.watch('provider'));
  const guessed = guessProvider(providers, form.watch('api_key'));
  const { onChange: onKey, ...keyField } = form.register('api_key');
  return (
    <Form form={form}>
      <div className="grid gap-4 sm:grid-cols-[3fr_2fr]">
        <Field
          label={text.providerKey}
          error={form.errorOf('api_key')}
          help={
            provider?.api_key.required === false
              ? text.noKeyNeeded
              : guessed !== null && guessed === provider?.id
                ? text.recognized(provider.name)
                : text.providerKeyHelp
          }
        >
          <PasswordInput
            autoComplete="off"
            data-1p-ignore
            autoFocus={isFirst}
            {...keyField}
            onChange={(event) => {
              onTested(null);
              const seen = guessProvider(providers, event.currentTarget.value);
              if (seen !== null && !isByHand) form.setValue('provider', seen);
              return onKey(event);
            }}
          />
        </Field>
        <ProviderField
          form={form}
          providers={providers}
          onChosen={(isChosen) => {
            onTested(null);
            setByHand(isChosen);
          }}
        />
      </div>
      {provider && <KeyPage provider={provider} />}
      {provider && (needsAddress(provider) || !provider.api_key.required) && (
        <Field
          label={text.baseUrl}
          help={text.baseUrlHelp}
          isRequired={provider.base_url_required}
          error={form.errorOf('base_url')}
        >
          <TextInput isCode type="url" placeholder={provider.base_url ?? ''} {...form.register('base_url')} />
        </Field>
      )}
      {provider && <SettingsFields key={provider.id} provider={provider} form={form} />}
      <FormError error={form.formError} />
      <FormActions submitLabel={text.test} isBusy={form.isBusy} isDisabled={provider === undefined} />
      {tested && <Verdict tested={tested} />}
    </Form>
  );
}

function KeyPage({ provider: { id, name } }: { readonly provider: Provider }) {
  const text = useText(firstStepsText);
  const page = KEY_PAGES[id];
  if (page === undefined) return null;
  return (
    <OuterLink href={page} target="_blank" className="w-fit text-sm">
      {text.whereKeys(name)}
    </OuterLink>
  );
}

interface ProviderFieldProps extends Pick<ProviderFormProps, 'providers'> {
  readonly form: ApiForm<Values>;
  readonly onChosen: (isChosen: boolean) => void;
}

function ProviderField({ form, providers, onChosen }: ProviderFieldProps) {
  const text = useText(firstStepsText);
  const options = providers
    .filter(({ built_in: isBuiltIn }) => !isBuiltIn)
    .map(({ id, name }) => ({ value: id, label: name }))
    .sort((one, other) => one.label.localeCompare(other.label));
  return (
    <Field label={text.provider} isRequired error={form.errorOf('provider')}>
      <Controller
        control={form.control}
        name="provider"
        render={({ field }) => (
          <Combobox
            ref={field.ref}
            placeholder={text.providerSearch}
            options={options}
            value={field.value === '' ? undefined : field.value}
            onBlur={field.onBlur}
            onChange={(id) => {
              onChosen(id !== undefined);
              field.onChange(id ?? '');
            }}
          />
        )}
      />
    </Field>
  );
}

/** Returns whether an address is required: there is no default, although it may follow from the settings. */
function needsAddress({ base_url: url, base_url_required: isRequired }: Provider): boolean {
  return isRequired || url === null;
}

function channelOf({ api_key, base_url, settings }: Values, provider: Provider | undefined) {
  const filled = Object.entries(settings).filter(
    ([name, value]) => value.trim() !== '' && name in settingsOf(provider),
  );
  const isAsked = provider !== undefined && (needsAddress(provider) || !provider.api_key.required);
  return {
    provider: provider?.id ?? '',
    name: isAsked && URL.canParse(base_url) ? new URL(base_url).host : (provider?.name ?? ''),
    ...(api_key.trim() !== '' && { api_key: api_key.trim() }),
    ...(isAsked && base_url.trim() !== '' && { base_url: base_url.trim() }),
    ...(filled.length > 0 && { settings: Object.fromEntries(filled.map(([name, value]) => [name, value.trim()])) }),
  };
}

interface Setting {
  readonly title?: string;
  readonly description?: string;
}

/** Returns the text settings by name. */
function settingsOf(provider: Provider | undefined): Readonly<Record<string, Setting>> {
  const properties = (provider?.settings?.properties ?? {}) as Readonly<Record<string, Setting & { type?: string }>>;
  return Object.fromEntries(Object.entries(properties).filter(([, { type }]) => type === 'string'));
}

interface SettingsFieldsProps {
  readonly provider: Provider;
  readonly form: ApiForm<Values>;
}

function SettingsFields({ provider, form }: SettingsFieldsProps) {
  const text = useText(firstStepsText);
  const settings = Object.entries(settingsOf(provider));
  if (settings.length === 0) return null;
  return (
    <Disclosure title={text.settings} isOpenAtFirst={needsAddress(provider)}>
      <div className="flex flex-col gap-4">
        {settings.map(([name, { title, description }]) => (
          <Field
            key={name}
            label={title ?? name}
            {...(description !== undefined && { help: description.replaceAll('`', '') })}
            error={form.errorOf(`settings.${name}`)}
          >
            <TextInput isCode {...form.register(`settings.${name}`)} />
          </Field>
        ))}
      </div>
    </Disclosure>
  );
}

function Verdict({ tested: { channel, probe } }: { readonly tested: Tested }) {
  const text = useText(firstStepsText);
  const format = useFormat();
  const { ok, error, latency_ms: latency, checked_by: checkedBy } = probe;
  const { name, api_key: key } = channel;
  if (ok === false) {
    const isRejected = error?.kind === 'upstream_auth';
    return (
      <Notice tone="bad" title={isRejected ? text.keyFailed(name) : text.testFailed(name)} isLive>
        {error && (
          <>
            <p>{error.message}</p>
            <p className="mt-1">{isRejected ? text.checkKey : error.hint}</p>
          </>
        )}
      </Notice>
    );
  }
  const time = format.duration(latency);
  const isKnown = ok === true && checkedBy !== null;
  return (
    <Notice tone={isKnown ? 'good' : 'neutral'} isLive>
      {!isKnown ? text.keyUnknown(name) : key === undefined ? text.serverWorks(name, time) : text.keyWorks(name, time)}
    </Notice>
  );
}
