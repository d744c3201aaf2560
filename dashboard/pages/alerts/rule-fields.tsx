import { Controller } from 'react-hook-form';
import { useApi } from '../../api/use-api.ts';
import { Switch } from '../../kit/choice.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import type { ApiForm } from '../../kit/form.tsx';
import { Combobox, MultiSelect, Select } from '../../kit/select.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { AccountsPicker } from '../shared/account-picker.tsx';
import { useKeyNames } from '../shared/usage/key-names.ts';
import { placeOf } from './place.ts';
import type { RuleValues } from './rule-values.ts';
import { ChannelPicker, ModelPicker } from './subject-pickers.tsx';

interface RuleFieldsProps {
  readonly form: ApiForm<RuleValues>;
  /** The rule's account; `null` for the operators. */
  readonly account: string | null;
  /** The names of accounts that the rule has already, by id. */
  readonly accountNames?: ReadonlyMap<string, string> | undefined;
}

const TYPES = ['balance_below', 'budget_spent', 'key_limit_spent', 'error_rate', 'channel_state'] as const;

export function RuleFields({ form, account, accountNames }: RuleFieldsProps) {
  const text = useText(alertsText);
  const { register, control, errorOf, watch } = form;
  const targets = useApi('listAlertWebhooks', { query: { ...placeOf(account), limit: 1_000 } });
  const own = (targets.data?.data ?? []).filter((target) => target.account === account);
  const types = TYPES.map((value) => ({ value, label: text.types[value] }));
  return (
    <>
      <Field label={text.name} error={errorOf('name')}>
        <TextInput maxLength={200} {...register('name')} />
      </Field>
      <Field label={text.type} error={errorOf('type')}>
        <Controller name="type" control={control} render={({ field }) => <Select options={types} {...field} />} />
      </Field>
      <ConditionFields form={form} type={watch('type')} account={account} />
      {account === null && (
        <Field label={text.accounts} help={text.accountsHelp} error={errorOf('accounts')}>
          <Controller
            name="accounts"
            control={control}
            render={({ field }) => <AccountsPicker known={accountNames} {...field} />}
          />
        </Field>
      )}
      <Field label={text.toldTo} help={text.toldToHelp} error={errorOf('targets')}>
        <Controller
          name="targets"
          control={control}
          render={({ field }) => (
            <MultiSelect
              placeholder={text.toldToAll}
              options={own.map(({ id, name }) => ({ value: id, label: name }))}
              {...field}
            />
          )}
        />
      </Field>
      <Field label={text.repeat} help={text.repeatHelp} error={errorOf('repeatMinutes')}>
        <NumberInput isWhole unit={text.minutes} {...register('repeatMinutes')} />
      </Field>
      <Switch label={text.enabled} {...register('enabled')} />
    </>
  );
}

interface ConditionFieldsProps extends Pick<RuleFieldsProps, 'account'> {
  readonly form: ApiForm<RuleValues>;
  readonly type: RuleValues['type'];
}

function ConditionFields({ form, type, account }: ConditionFieldsProps) {
  const text = useText(alertsText);
  const { register, errorOf } = form;
  if (type === 'balance_below')
    return (
      <Field label={text.usd} error={errorOf('usd')} isRequired>
        <NumberInput prefix="$" {...register('usd')} />
      </Field>
    );
  if (type === 'channel_state') return <ChannelFields form={form} account={account} />;
  return (
    <>
      <Field label={text.percent} help={text.percentHelp} error={errorOf('percent')} isRequired>
        <NumberInput isWhole unit="%" {...register('percent')} />
      </Field>
      {type === 'error_rate' ? <ErrorFields form={form} account={account} /> : <SpentFields form={form} type={type} />}
    </>
  );
}

function SpentFields({ form, type }: Omit<ConditionFieldsProps, 'account'>) {
  const text = useText(alertsText);
  const { control, errorOf, watch } = form;
  const names = useKeyNames();
  const ofs = (['account', 'key'] as const).map((value) => ({ value, label: text.ofs[value] }));
  const keys = [...names].map(([id, name]) => ({ value: id, label: name, ...(name !== id && { detail: id }) }));
  const isOfKeys = type === 'key_limit_spent' || watch('budgetOf') === 'key';
  return (
    <>
      {type === 'budget_spent' && (
        <Field label={text.of} error={errorOf('budgetOf')}>
          <Controller name="budgetOf" control={control} render={({ field }) => <Select options={ofs} {...field} />} />
        </Field>
      )}
      {isOfKeys && (
        <Field label={text.key} help={text.keyHelp} error={errorOf('key')}>
          <Controller
            name="key"
            control={control}
            render={({ field: { value, onChange, ...field } }) => (
              <Combobox
                {...field}
                isFree
                value={value === '' ? undefined : value}
                onChange={(next) => onChange(next ?? '')}
                options={keys}
              />
            )}
          />
        </Field>
      )}
    </>
  );
}

function ErrorFields({ form, account }: Omit<ConditionFieldsProps, 'type'>) {
  const text = useText(alertsText);
  const { register, control, errorOf, watch } = form;
  const ofs = (['account', 'model', 'channel'] as const).map((value) => ({ value, label: text.ofs[value] }));
  const of = watch('errorsOf');
  const Subject = of === 'model' ? ModelPicker : ChannelPicker;
  return (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={text.window} error={errorOf('windowMinutes')}>
          <NumberInput isWhole unit={text.minutes} {...register('windowMinutes')} />
        </Field>
        <Field label={text.minimum} help={text.minimumHelp} error={errorOf('minimumRequests')}>
          <NumberInput isWhole {...register('minimumRequests')} />
        </Field>
      </div>
      <Field label={text.of} error={errorOf('errorsOf')}>
        <Controller name="errorsOf" control={control} render={({ field }) => <Select options={ofs} {...field} />} />
      </Field>
      {of !== 'account' && (
        <Field label={of === 'model' ? text.model : text.channel} help={text.subjectHelp} error={errorOf('subject')}>
          <Controller
            name="subject"
            control={control}
            render={({ field }) => <Subject key={of} account={account} {...field} />}
          />
        </Field>
      )}
    </>
  );
}

function ChannelFields({ form, account }: Omit<ConditionFieldsProps, 'type'>) {
  const text = useText(alertsText);
  const { register, control, errorOf } = form;
  const states = (['blocked', 'resting', 'key_blocked', 'key_capped'] as const).map((value) => ({
    value,
    label: text.channelStates[value],
  }));
  return (
    <>
      <Field label={text.channelStatesLabel} error={errorOf('states')}>
        <Controller
          name="states"
          control={control}
          render={({ field }) => <MultiSelect options={states} {...field} />}
        />
      </Field>
      <Field label={text.resting} error={errorOf('restingSeconds')}>
        <NumberInput isWhole unit={text.seconds} {...register('restingSeconds')} />
      </Field>
      <Field label={text.channel} help={text.subjectHelp} error={errorOf('channel')}>
        <Controller
          name="channel"
          control={control}
          render={({ field }) => <ChannelPicker account={account} {...field} />}
        />
      </Field>
    </>
  );
}
