import { ApiError, call } from '../../api/client.ts';
import { Button } from '../../kit/button.tsx';
import { Field, PasswordInput, TextInput } from '../../kit/field.tsx';
import { Form, FormError, useApiForm } from '../../kit/form.tsx';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';

/** Returns whether the email or the password was wrong: its code is that of an invalid key, which says nothing here. */
const isRefused = (error: Error | undefined) => error instanceof ApiError && error.status === 401;

interface PasswordFormProps {
  readonly onDone: () => Promise<void>;
  readonly onSecondFactor: () => void;
}

export function PasswordForm({ onDone, onSecondFactor }: PasswordFormProps) {
  const text = useText(signInText);
  const form = useApiForm({
    defaultValues: { email: '', password: '' },
    send: async (body) => {
      const { twoFactorRedirect } = await call('authSignInEmail', { body });
      if (twoFactorRedirect === true) onSecondFactor();
      else await onDone();
    },
  });
  return (
    <Form form={form}>
      <Field label={text.email} error={form.errorOf('email')}>
        <TextInput type="email" autoComplete="username webauthn" required {...form.register('email')} />
      </Field>
      <Field label={text.password} error={form.errorOf('password')}>
        <PasswordInput autoComplete="current-password" required {...form.register('password')} />
      </Field>
      <FormError error={form.formError} isPlain={isRefused(form.formError)} />
      <Button type="submit" variant="primary" isBusy={form.isBusy}>
        {text.signIn}
      </Button>
    </Form>
  );
}
