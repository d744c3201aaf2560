import { Controller } from 'react-hook-form';
import type { Tagged } from '../../api/client.ts';
import type { Account } from '../../api/schema.ts';
import { useChange, useTagged } from '../../api/use-api.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { Select } from '../../kit/select.tsx';
import { ErrorBox, Loading } from '../../kit/status.tsx';
import { useToast } from '../../kit/toast.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import { useChangeOfShown } from '../shared/changed-meanwhile.ts';
import { BUDGET_FIELD_OF, type BudgetValues, budgetBodyOf, budgetValuesOf } from '../shared/usage/budget-values.ts';
import { CheaperModelFields } from '../shared/usage/cheaper-model-fields.tsx';

interface AccountBudgetDialogProps {
  readonly account: string;
  readonly isOpen: boolean;
  readonly onClose: () => void;
}

export function AccountBudgetDialog({ isOpen, onClose, ...rest }: AccountBudgetDialogProps) {
  const text = useText(alertsText);
  return (
    <Dialog title={text.accountBudget} isOpen={isOpen} onClose={onClose} isSticky>
      {isOpen && <Reading onClose={onClose} {...rest} />}
    </Dialog>
  );
}

/** Reads when opened, so that the change applies to what is shown. */
function Reading({ account, onClose }: Omit<AccountBudgetDialogProps, 'isOpen'>) {
  const { data, error, refetch } = useTagged('getAccountById', { params: { id: account } }, { isStill: true });
  if (error) return <ErrorBox error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <Loading />;
  return <Changing key={data.etag} tagged={data} onClose={onClose} />;
}

const READS = ['getLimits', 'getAccountById', 'listAccounts'] as const;

interface ChangingProps {
  readonly tagged: Tagged<Account>;
  readonly onClose: () => void;
}

function Changing({ tagged: { value: account, etag }, onClose }: ChangingProps) {
  const text = useText(alertsText);
  const { timeZone } = useFormat();
  const toast = useToast();
  const update = useChange('updateAccountById', { touches: READS });
  const changeOfShown = useChangeOfShown();
  const form = useApiForm<BudgetValues>({
    defaultValues: budgetValuesOf(account.budget, timeZone),
    fieldOf: BUDGET_FIELD_OF,
    send: async (values) => {
      const body = { budget: budgetBodyOf(values) };
      const change = update.mutateAsync({ params: { id: account.id }, body, ifMatch: etag });
      if (!(await changeOfShown(change, READS))) return;
      toast.done(text.budgetSaved);
      onClose();
    },
  });
  const { register, control, errorOf } = form;
  const periods = (['day', 'week', 'month'] as const).map((value) => ({ value, label: text.pers[value] }));
  return (
    <Form form={form}>
      <Field label={text.budget} help={text.budgetHelp} error={errorOf('budget')}>
        <NumberInput prefix="$" {...register('budget')} />
      </Field>
      <Field label={text.per} error={errorOf('per')}>
        <Controller name="per" control={control} render={({ field }) => <Select options={periods} {...field} />} />
      </Field>
      <Field label={text.timeZone} error={errorOf('timeZone')}>
        <TextInput isCode {...register('timeZone')} />
      </Field>
      <CheaperModelFields form={form} />
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
