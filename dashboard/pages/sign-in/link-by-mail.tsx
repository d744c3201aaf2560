import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { Notice } from '../../kit/status.tsx';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';

interface LinkByMailProps {
  readonly operation: 'askForPasswordReset' | 'register';
  /** Whether the gateway sends such links. */
  readonly isOpen: boolean;
  readonly onBack: () => void;
}

/** Requests a link; the answer does not reveal whether the address is registered. */
export function LinkByMail({ operation, isOpen, onBack }: LinkByMailProps) {
  const text = useText(signInText);
  const [isSent, setSent] = useState(false);
  const form = useApiForm({
    defaultValues: { email: '' },
    send: async ({ email }) => {
      await call(operation, { body: { email } });
      setSent(true);
    },
  });
  if (!isOpen) return <Button onClick={onBack}>{text.back}</Button>;
  if (isSent)
    return (
      <>
        <Notice tone="good" isLive>
          {text.linkSent}
        </Notice>
        <Button onClick={onBack}>{text.back}</Button>
      </>
    );
  return (
    <Form form={form}>
      <Field label={text.email} error={form.errorOf('email')}>
        <TextInput type="email" autoComplete="email" autoFocus required {...form.register('email')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.sendLink[operation]} isBusy={form.isBusy} onCancel={onBack} />
    </Form>
  );
}
