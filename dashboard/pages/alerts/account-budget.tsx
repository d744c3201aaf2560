import { Controller } from 'react-hook-form';
import type { Limits } from '../../api/schema.ts';
import { useChange } from '../../api/use-api.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Select } from '../../kit/select.tsx';
import { useToast } from '../../kit/toast.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';

interface AccountBudgetDialogProps {
  readonly limits: Limits;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function AccountBudgetDialog({ limits, isOpen, onClose }: AccountBudgetDialogProps) {
  const text = useText(alertsText);
  return (
    <Dialog title={text.accountBudget} isOpen={isOpen} onClose={onClose} isSticky>
      <Changing limits={limits} onClose={onClose} />
    </Dialog>
  );
}

function Changing({ limits: { account, budget }, onClose }: Omit<AccountBudgetDialogProps, 'isOpen'>) {
  const text = useText(alertsText);
  const { timeZone } = useFormat();
  const toast = useToast();
  const update = useChange('updateAccountById', { touches: ['getLimits', 'getAccountById', 'listAccounts'] });
  const form = useApiForm({
    defaultValues: {
      usd: budget?.usd ?? '',
      per: budget?.per ?? ('month' as const),
      timeZone: budget?.time_zone ?? timeZone,
    },
    fieldOf: { 'budget.usd': 'usd', 'budget.per': 'per', 'budget.time_zone': 'timeZone' },
    send: async (values) => {
      const usd = values.usd.trim();
      const next = usd === '' ? null : { usd, per: values.per, time_zone: values.timeZone.trim() };
      await update.mutateAsync({ params: { id: account }, body: { budget: next } });
      toast.done(text.budgetSaved);
      onClose();
    },
  });
  const { register, control, errorOf } = form;
  const periods = (['day', 'week', 'month'] as const).map((value) => ({ value, label: text.pers[value] }));
  return (
    <Form form={form}>
      <Field label={text.budget} help={text.budgetHelp} error={errorOf('usd')}>
        <NumberInput prefix="$" {...register('usd')} />
      </Field>
      <Field label={text.per} error={errorOf('per')}>
        <Controller name="per" control={control} render={({ field }) => <Select options={periods} {...field} />} />
      </Field>
      <Field label={text.timeZone} error={errorOf('timeZone')}>
        <TextInput isCode {...register('timeZone')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
