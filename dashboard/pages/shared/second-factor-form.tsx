import { useState } from 'react';
import { call } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Field, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';

interface SecondFactorFormProps {
  readonly onDone: () => Promise<void>;
  readonly onBack: () => void;
}

/** Asks for an authenticator's code, or a backup code. */
export function SecondFactorForm({ onDone, onBack }: SecondFactorFormProps) {
  const text = useText(signInText);
  const [isBackup, setBackup] = useState(false);
  const form = useApiForm({
    defaultValues: { code: '' },
    send: async ({ code }) => {
      const typed = code.trim();
      const body = { code: isBackup ? typed : typed.replaceAll(' ', '') };
      await call(isBackup ? 'authTwoFactorVerifyBackupCode' : 'authTwoFactorVerifyTotp', { body });
      await onDone();
    },
  });
  return (
    <Form form={form}>
      <Field label={isBackup ? text.backupCode : text.code} error={form.errorOf('code')}>
        <TextInput
          isCode
          autoFocus
          required
          autoComplete="one-time-code"
          inputMode={isBackup ? 'text' : 'numeric'}
          {...form.register('code')}
        />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.continue} isBusy={form.isBusy} onCancel={onBack}>
        <Button variant="quiet" size="small" onClick={() => setBackup(!isBackup)}>
          {isBackup ? text.useApp : text.useBackup}
        </Button>
      </FormActions>
    </Form>
  );
}
