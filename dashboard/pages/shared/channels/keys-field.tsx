import { Plus, Trash2 } from 'lucide-react';
import { Button, IconButton } from '../../../kit/button.tsx';
import { Checkbox, Segmented } from '../../../kit/choice.tsx';
import { Field, NumberInput, PasswordInput, TextInput } from '../../../kit/field.tsx';
import { Select } from '../../../kit/select.tsx';
import { channelFormText } from '../../../text/channel-form.ts';
import { useText } from '../../../text/text.tsx';
import type { ChannelForm, ChannelValues } from './form-values.ts';
import { CAP_PERIODS, heirOf, type KeyRow, NEW_KEY } from './key-rows.ts';

interface FieldsProps {
  readonly form: ChannelForm;
}

/** The name of the row that a channel's only key moves to. */
const FIRST_NAME = 'main';

/** Switches between one key and several. What was typed for one of them becomes the first of several. */
export function KeyCount({ form }: FieldsProps) {
  const text = useText(channelFormText);
  const choose = (keys: ChannelValues['keys']) => {
    if (keys === 'several' && form.getValues('api_keys').length === 0) {
      form.setValue('api_keys', [{ ...NEW_KEY, name: FIRST_NAME, key: form.getValues('api_key') }]);
      form.setValue('api_key', '');
    }
    form.clearErrors(['api_key', 'api_keys']);
    form.setValue('keys', keys, { shouldDirty: true });
  };
  return (
    <Segmented
      label={text.keyCount}
      value={form.watch('keys')}
      onChange={choose}
      options={[
        { value: 'one', label: text.oneKey },
        { value: 'several', label: text.severalKeys },
      ]}
    />
  );
}

interface KeysFieldProps extends FieldsProps {
  /** The end of the only key that the channel has now; `null` if it has none, or several. */
  readonly keyPreview: string | null;
  readonly isKeyNeeded: boolean;
}

/** The keys of a channel that has several. */
export function KeysField({ form, keyPreview, isKeyNeeded }: KeysFieldProps) {
  const text = useText(channelFormText);
  const rows = form.watch('api_keys');
  const heir = keyPreview === null ? -1 : heirOf(rows);
  const change = (next: KeyRow[]) => {
    form.clearErrors('api_keys');
    form.setValue('api_keys', next, { shouldDirty: true });
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-3">
      <legend className="font-medium text-sm">{text.keys}</legend>
      <p className="text-soft text-xs">{text.keysHelp}</p>
      {rows.map((row, at) => (
        <KeyFields
          // biome-ignore lint/suspicious/noArrayIndexKey: the fields of a row are registered by its index
          key={at}
          form={form}
          at={at}
          row={row}
          preview={row.stored !== '' ? row.preview : at === heir ? keyPreview : null}
          isKeyNeeded={isKeyNeeded && row.stored === '' && at !== heir}
          {...(rows.length > 1 && { onRemove: () => change(rows.toSpliced(at, 1)) })}
        />
      ))}
      <Button size="small" icon={Plus} className="self-start" onClick={() => change([...rows, NEW_KEY])}>
        {text.addUpstreamKey}
      </Button>
      <p aria-live="polite" className="text-bad text-sm empty:hidden">
        {form.formState.errors.api_keys?.message}
      </p>
    </fieldset>
  );
}

interface KeyFieldsProps extends FieldsProps {
  readonly at: number;
  readonly row: KeyRow;
  /** The end of the key that is kept if none is typed; `null` if there is none to keep. */
  readonly preview: string | null;
  readonly isKeyNeeded: boolean;
  readonly onRemove?: () => void;
}

function KeyFields({ form, at, row, preview, isKeyNeeded, onRemove }: KeyFieldsProps) {
  const text = useText(channelFormText);
  const of = `api_keys.${at}` as const;
  const title = row.name.trim() || text.keyAt(at + 1);
  return (
    // Named, since each of its labels is repeated in the others.
    <fieldset aria-label={title} className="flex min-w-0 flex-col gap-3 rounded-lg border border-line p-3">
      <div className="flex items-center justify-between gap-2">
        <Checkbox label={text.keyEnabled} {...form.register(`${of}.enabled`)} />
        {onRemove && <IconButton icon={Trash2} label={text.removeName(title)} onClick={onRemove} />}
      </div>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field label={text.upstreamKeyName} isRequired error={form.errorOf(`${of}.name`)}>
          <TextInput isCode maxLength={64} placeholder="team-a" {...form.register(`${of}.name`)} />
        </Field>
        <Field
          label={preview === null ? text.apiKey : text.newKey}
          isRequired={isKeyNeeded}
          error={form.errorOf(`${of}.key`)}
          {...(preview !== null && { help: preview === '' ? text.keyStaysUnseen : text.keyStays(preview) })}
        >
          <PasswordInput {...form.register(`${of}.key`)} autoComplete="off" />
        </Field>
        <Field label={text.weight} help={text.keyWeightHelp} error={form.errorOf(`${of}.weight`)}>
          <NumberInput placeholder="1" {...form.register(`${of}.weight`)} />
        </Field>
        <CapFields form={form} at={at} row={row} />
      </div>
    </fieldset>
  );
}

function CapFields({ form, at, row: { spend_cap: cap } }: Pick<KeyFieldsProps, 'form' | 'at' | 'row'>) {
  const text = useText(channelFormText);
  const of = `api_keys.${at}.spend_cap` as const;
  const { ref } = form.register(`${of}.per`);
  const hasCap = cap.usd.trim() !== '';
  return (
    <>
      <Field label={text.spendCap} help={text.spendCapHelp} error={form.errorOf(`${of}.usd`)}>
        <NumberInput prefix="$" placeholder={text.noCap} {...form.register(`${of}.usd`)} />
      </Field>
      {hasCap && (
        <Field label={text.capPeriod} error={form.errorOf(`${of}.per`)}>
          <Select
            ref={ref}
            value={cap.per}
            onChange={(per) => form.setValue(`${of}.per`, per, { shouldDirty: true })}
            options={CAP_PERIODS.map((value) => ({ value, label: text.capPeriods[value] }))}
          />
        </Field>
      )}
      {hasCap && cap.per !== 'total' && (
        <Field label={text.capTimeZone} error={form.errorOf(`${of}.time_zone`)}>
          <TextInput placeholder="UTC" {...form.register(`${of}.time_zone`)} />
        </Field>
      )}
    </>
  );
}
