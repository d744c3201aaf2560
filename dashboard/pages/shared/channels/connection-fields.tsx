import { KeyRound } from 'lucide-react';
import type { Provider } from '../../../api/schema.ts';
import { Button } from '../../../kit/button.tsx';
import { Field, PasswordInput, TextInput } from '../../../kit/field.tsx';
import { Combobox } from '../../../kit/select.tsx';
import { Notice } from '../../../kit/status.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import type { ChannelForm } from './form-values.ts';
import { providerOfKey } from './key-guess.ts';
import { KeyCount, KeysField } from './keys-field.tsx';
import { SettingFields } from './setting-fields.tsx';

interface ConnectionFieldsProps {
  readonly form: ChannelForm;
  readonly providers: readonly Provider[];
  readonly provider: Provider | undefined;
  /** The end of the stored key; absent for a new channel. */
  readonly keyPreview?: string | null;
}

/** The address of a channel, and its credentials. */
export function ConnectionFields({ form, providers, provider, keyPreview }: ConnectionFieldsProps) {
  const text = useText(channelFormText);
  const choose = (id: string) => {
    // One provider's settings are meaningless to another.
    form.setValue('settings', {});
    form.setValue('other_settings', []);
    form.setValue('formats', []);
    if (providers.find((one) => one.id === id)?.built_in === true) form.setValue('keys', 'one');
    form.setValue('provider', id, { shouldDirty: true });
  };
  const isKeyNeeded = provider?.api_key.required === true && (keyPreview ?? null) === null;
  return (
    <>
      <ProviderField form={form} providers={providers} onChoose={choose} />
      {provider?.built_in !== true && (
        <>
          <KeyCount form={form} />
          {form.watch('keys') === 'one' ? (
            <KeyField
              {...{ form, providers, provider, isKeyNeeded }}
              keyPreview={keyPreview ?? null}
              onChoose={choose}
            />
          ) : (
            <KeysField form={form} keyPreview={keyPreview ?? null} isKeyNeeded={provider?.api_key.required === true} />
          )}
          <Field
            label={text.baseUrl}
            isRequired={provider?.base_url_required === true}
            help={provider?.base_url_required === true ? text.baseUrlNeeded : text.baseUrlHelp}
            error={form.errorOf('base_url')}
          >
            <TextInput isCode placeholder={provider?.base_url ?? 'https://'} {...form.register('base_url')} />
          </Field>
        </>
      )}
      <SettingFields form={form} provider={provider} />
    </>
  );
}

interface ProviderFieldProps {
  readonly form: ChannelForm;
  readonly providers: readonly Provider[];
  readonly onChoose: (id: string) => void;
}

function ProviderField({ form, providers, onChoose }: ProviderFieldProps) {
  const text = useText(channelFormText);
  const { ref } = form.register('provider');
  return (
    <Field label={text.provider} isRequired help={text.providerHelp} error={form.errorOf('provider')}>
      <Combobox
        ref={ref}
        value={form.watch('provider') || undefined}
        onChange={(id) => onChoose(id ?? '')}
        placeholder={text.findProvider}
        options={providers.map(({ id, name, base_url }) => ({ value: id, label: name, detail: base_url ?? id }))}
      />
    </Field>
  );
}

interface KeyFieldProps extends ProviderFieldProps {
  readonly provider: Provider | undefined;
  readonly isKeyNeeded: boolean;
  readonly keyPreview: string | null;
}

function KeyField({ form, providers, provider, isKeyNeeded, keyPreview, onChoose }: KeyFieldProps) {
  const text = useText(channelFormText);
  const hadSeveral = form.formState.defaultValues?.keys === 'several';
  const guessed = providerOfKey(form.watch('api_key'), providers);
  const isOther = guessed !== undefined && provider !== undefined && guessed.id !== provider.id;
  const key = form.register('api_key', {
    onChange: (event) => {
      const found = providerOfKey(String(event.target.value), providers);
      if (found && form.getValues('provider') === '') onChoose(found.id);
    },
  });
  return (
    <div className="flex flex-col gap-2">
      <Field
        label={keyPreview === null ? text.apiKey : text.newKey}
        isRequired={isKeyNeeded}
        help={hadSeveral ? text.replacesKeys : keyPreview === null ? text.apiKeyHelp : text.keyStays(keyPreview)}
        error={form.errorOf('api_key')}
      >
        <PasswordInput {...key} autoComplete="off" />
      </Field>
      {isOther && (
        <Notice
          tone="warn"
          isLive
          action={
            <Button size="small" icon={KeyRound} onClick={() => onChoose(guessed.id)}>
              {text.chooseProvider(guessed.name)}
            </Button>
          }
        >
          {text.looksLike(guessed.name)}
        </Notice>
      )}
    </div>
  );
}
