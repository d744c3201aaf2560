import { Controller } from 'react-hook-form';
import { useChange } from '../../api/use-api.ts';
import { Segmented } from '../../kit/choice.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useScope } from '../../shell/scope.tsx';
import { alertsText } from '../../text/alerts.ts';
import { useText } from '../../text/text.tsx';
import type { ShownSecret } from '../shared/credentials/parts.tsx';
import { type AddressWarning, warningOf } from './address-warning.ts';

interface NewTargetProps {
  readonly isOpen: boolean;
  readonly onClose: () => void;
  readonly onSecret: (secret: ShownSecret) => void;
  readonly onWarning: (warning: AddressWarning | null) => void;
}

export function NewTarget({ isOpen, onClose, onSecret, onWarning }: NewTargetProps) {
  const text = useText(alertsText);
  return (
    <Dialog title={text.newTarget} isOpen={isOpen} onClose={onClose} isSticky>
      <Making onClose={onClose} onSecret={onSecret} onWarning={onWarning} />
    </Dialog>
  );
}

interface TargetValues {
  name: string;
  kind: 'webhook' | 'mail';
  url: string;
  mail: string;
}

function Making({ onClose, onSecret, onWarning }: Omit<NewTargetProps, 'isOpen'>) {
  const text = useText(alertsText);
  const { query } = useScope();
  const toast = useToast();
  const create = useChange('createAlertWebhook', { touches: ['listAlertWebhooks'] });
  const form = useApiForm<TargetValues>({
    defaultValues: { name: '', kind: 'webhook', url: '', mail: '' },
    send: async ({ name, kind, url, mail }) => {
      const made = await create.mutateAsync({
        query,
        body: {
          ...(name.trim() !== '' && { name: name.trim() }),
          ...(kind === 'webhook' ? { url: url.trim() } : { mail: mail.trim() }),
        },
      });
      onClose();
      onWarning(warningOf(made, made.warning));
      if (made.secret !== null) onSecret({ name: made.name, secret: made.secret });
      else toast.done(text.saved);
    },
  });
  const { register, control, errorOf, watch } = form;
  const kinds = (['webhook', 'mail'] as const).map((value) => ({ value, label: text.targetTypes[value] }));
  return (
    <Form form={form}>
      <Controller
        name="kind"
        control={control}
        render={({ field: { value, onChange } }) => (
          <Segmented label={text.kind} value={value} onChange={onChange} options={kinds} />
        )}
      />
      <Field label={text.name} error={errorOf('name')}>
        <TextInput maxLength={200} {...register('name')} />
      </Field>
      {watch('kind') === 'webhook' ? (
        <Field label={text.url} help={text.urlHelp} error={errorOf('url')} isRequired>
          <TextInput isCode type="url" {...register('url')} />
        </Field>
      ) : (
        <Field label={text.mail} error={errorOf('mail')} isRequired>
          <TextInput type="email" {...register('mail')} />
        </Field>
      )}
      <FormError error={form.formError} />
      <FormActions submitLabel={text.makeTarget} isBusy={form.isBusy} onCancel={onClose} />
    </Form>
  );
}
