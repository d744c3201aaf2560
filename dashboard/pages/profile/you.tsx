import { call } from '../../api/client.ts';
import { useChange } from '../../api/use-api.ts';
import { Field, PasswordInput, TextInput } from '../../kit/field.tsx';
import { Form, FormActions, FormError, useApiForm } from '../../kit/form.tsx';
import { useToast } from '../../kit/toast.tsx';
import { useSession } from '../../shell/session.tsx';
import { profileText } from '../../text/profile.ts';
import { useText } from '../../text/text.tsx';

export function NameForm() {
  const text = useText(profileText);
  const toast = useToast();
  const { me } = useSession();
  const change = useChange('authUpdateUser', { touches: ['getMe', 'listMembers', 'listUsers'] });
  const form = useApiForm({
    defaultValues: { name: me.name },
    send: async ({ name }) => {
      await change.mutateAsync({ body: { name } });
      toast.done(text.saved);
    },
  });
  return (
    <Form form={form}>
      <Field label={text.name} error={form.errorOf('name')} className="max-w-md">
        <TextInput autoComplete="name" maxLength={200} {...form.register('name')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.save} isBusy={form.isBusy} />
    </Form>
  );
}

export function PasswordForm() {
  const text = useText(profileText);
  const toast = useToast();
  const { me } = useSession();
  const change = useChange('authChangePassword', { touches: ['getMe', 'listSessions'] });
  const form = useApiForm({
    defaultValues: { currentPassword: '', newPassword: '' },
    send: async (body) => {
      await change.mutateAsync({ body });
      form.reset();
      toast.done(text.changed);
    },
  });
  return (
    <Form form={form}>
      {/* For password managers. */}
      <input type="hidden" autoComplete="username" value={me.email} readOnly />
      <Field label={text.current} error={form.errorOf('currentPassword')} className="max-w-md">
        <PasswordInput autoComplete="current-password" {...form.register('currentPassword')} />
      </Field>
      <Field label={text.next} help={text.nextHelp} error={form.errorOf('newPassword')} className="max-w-md">
        <PasswordInput autoComplete="new-password" maxLength={200} {...form.register('newPassword')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions submitLabel={text.change} isBusy={form.isBusy} />
    </Form>
  );
}

/** Asks for the password again, before a change of the second factor. */
export function PasswordAgain(props: {
  readonly submitLabel: string;
  readonly isDanger?: boolean;
  readonly send: (password: string) => Promise<unknown>;
  readonly onCancel: () => void;
}) {
  const text = useText(profileText);
  const form = useApiForm({ defaultValues: { password: '' }, send: ({ password }) => props.send(password) });
  return (
    <Form form={form}>
      <Field
        label={text.yourPassword}
        help={text.yourPasswordHelp}
        error={form.errorOf('password')}
        className="max-w-md"
      >
        <PasswordInput autoFocus autoComplete="current-password" {...form.register('password')} />
      </Field>
      <FormError error={form.formError} />
      <FormActions
        submitLabel={props.submitLabel}
        isBusy={form.isBusy}
        isDanger={props.isDanger === true}
        onCancel={props.onCancel}
      />
    </Form>
  );
}

export async function verifyCode(code: string, isBackup = false): Promise<void> {
  const typed = code.trim();
  const body = { code: isBackup ? typed : typed.replaceAll(' ', '') };
  await call(isBackup ? 'authTwoFactorVerifyBackupCode' : 'authTwoFactorVerifyTotp', { body });
}
