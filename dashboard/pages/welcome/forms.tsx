import { call } from '../../api/client.ts';
import type { InvitationLink } from '../../api/schema.ts';
import { Field, PasswordInput, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { signInText } from '../../text/sign-in.ts';
import { useText } from '../../text/text.tsx';
import { oneTimeToken } from './one-time-token.ts';

interface LinkFormProps {
  readonly link: InvitationLink;
  readonly onDone: () => Promise<void>;
}

/** The form for a new person. */
export function JoinForm({ link, onDone }: LinkFormProps) {
  const text = useText(signInText);
  const form = useApiForm({
    defaultValues: { email: link.email ?? '', name: '', password: '' },
    send: async ({ email, name, password }) => {
      await call('acceptInvitation', { body: { token: oneTimeToken, email, name, password } });
      await signInAgain(email, password);
      await onDone();
    },
  });
  return (
    <Form form={form}>
      <Field label={text.name} error={form.errorOf('name')}>
        <TextInput autoComplete="name" autoFocus maxLength={200} {...form.register('name')} />
      </Field>
      <Field label={text.email} isRequired error={form.errorOf('email')}>
        <TextInput
          type="email"
          autoComplete="username"
          readOnly={link.email !== null}
          maxLength={254}
          {...form.register('email')}
        />
      </Field>
      <Field label={text.password} isRequired help={text.passwordHelp} error={form.errorOf('password')}>
        <PasswordInput autoComplete="new-password" maxLength={200} {...form.register('password')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.makeMine} isBusy={form.isBusy} />
    </Form>
  );
}

export function ResetForm({ link, onDone }: LinkFormProps) {
  const text = useText(signInText);
  const form = useApiForm({
    defaultValues: { password: '' },
    send: async ({ password }) => {
      await call('resetPassword', { body: { token: oneTimeToken, password } });
      await signInAgain(link.email ?? '', password);
      await onDone();
    },
  });
  return (
    <Form form={form}>
      {/* For password managers. */}
      <input type="hidden" autoComplete="username" value={link.email ?? ''} readOnly />
      <Field label={text.newPassword} isRequired help={text.passwordHelp} error={form.errorOf('password')}>
        <PasswordInput autoComplete="new-password" autoFocus maxLength={200} {...form.register('password')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.setPassword} isBusy={form.isBusy} />
    </Form>
  );
}

/** Signs in again. With a second factor there is no session yet, and the person is asked for it next. */
async function signInAgain(email: string, password: string): Promise<void> {
  await call('authSignInEmail', { body: { email, password } }).catch(() => undefined);
}
