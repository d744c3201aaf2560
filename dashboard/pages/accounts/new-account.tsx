import { useChange } from '../../api/use-api.ts';
import { Dialog } from '../../kit/dialog.tsx';
import { Disclosure } from '../../kit/disclosure.tsx';
import { Field, NumberInput, TextInput } from '../../kit/field.tsx';
import { type ApiForm, Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useFormat } from '../../kit/format.tsx';
import { useToast } from '../../kit/toast.tsx';
import { accountsText } from '../../text/accounts.ts';
import { billingDetailsText } from '../../text/billing-details.ts';
import { useText } from '../../text/text.tsx';
import { BillingFields, type BillingValues } from '../shared/billing-details.tsx';
import { BasicFields, LimitFields } from './account-fields.tsx';
import { ACCOUNT_READS, type AccountValues, bodyOf, FIELD_OF, valuesOf } from './account-values.ts';

interface NewAccountProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onMade: (id: string) => void;
}

export function NewAccount({ isOpen, onClose, onMade }: NewAccountProps) {
  const text = useText(accountsText);
  return (
    <Dialog title={text.create} description={text.createText} isOpen={isOpen} onClose={onClose} isSticky>
      <NewAccountForm onClose={onClose} onMade={onMade} />
    </Dialog>
  );
}

interface NewAccountValues extends AccountValues {
  id: string;
  opening: string;
}

function NewAccountForm({ onClose, onMade }: Omit<NewAccountProps, 'isOpen'>) {
  const text = useText(accountsText);
  const words = useText(billingDetailsText);
  const format = useFormat();
  const toast = useToast();
  const create = useChange('createAccount', { touches: ACCOUNT_READS });
  const form = useApiForm<NewAccountValues>({
    defaultValues: { ...valuesOf(null, format.timeZone), id: '', opening: '' },
    fieldOf: { ...FIELD_OF, balance_usd: 'opening' },
    send: async ({ id, opening, ...values }) => {
      const balance = opening.trim() === '' ? {} : { balance_usd: opening.trim() };
      const made = await create.mutateAsync({ body: { id: id.trim(), ...balance, ...bodyOf(values) } });
      toast.done(text.made);
      onClose();
      onMade(made.id);
    },
  });
  const fields = form as unknown as ApiForm<AccountValues>; // The form's fields include those of an account.
  return (
    <Form form={form}>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label={text.id} help={text.idHelp} error={form.errorOf('id')} isRequired>
          <TextInput isCode maxLength={64} {...form.register('id', { required: text.needed })} />
        </Field>
        <Field label={text.opening} help={text.openingHelp} error={form.errorOf('opening')}>
          <NumberInput prefix="$" {...form.register('opening')} />
        </Field>
      </div>
      <BasicFields form={fields} />
      <Disclosure title={text.limits}>
        <div className="flex flex-col gap-4">
          <LimitFields form={fields} />
        </div>
      </Disclosure>
      <Disclosure title={words.title}>
        <div className="flex flex-col gap-4">
          <BillingFields form={form as unknown as ApiForm<BillingValues>} />
        </div>
      </Disclosure>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.submit} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
